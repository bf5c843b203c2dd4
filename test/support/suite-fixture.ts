import { afterAll, beforeAll } from 'vitest';

/**
 * Declares an object that all tests of a suite share: created before the first test and disposed of after the last. The
 * returned proxy can be used in tests and hooks; it throws while tests are being collected.
 */
export function suiteFixture<T extends object>(create: () => Promise<T>, dispose?: (value: T) => Promise<unknown>): T {
  let created: T | null = null;
  const value = (): T => {
    if (created === null) throw new Error('the fixture is created when the suite runs');
    return created;
  };
  beforeAll(async () => {
    created = await create();
  });
  afterAll(async () => {
    if (created !== null) await dispose?.(created);
  });
  return new Proxy({} as T, {
    get(_, key) {
      const member: unknown = Reflect.get(value(), key);
      // Private fields are not accessible through a proxy, so methods are bound to the object.
      return typeof member === 'function' ? member.bind(value()) : member;
    },
    set: (_, key, member) => Reflect.set(value(), key, member),
    ownKeys: () => Reflect.ownKeys(value()),
    getOwnPropertyDescriptor: (_, key) => Reflect.getOwnPropertyDescriptor(value(), key),
  });
}
