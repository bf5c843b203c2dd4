import { afterAll, beforeAll } from 'vitest';

/**
 * An object that all tests of a suite share: created before the first test and disposed of after the last. It is returned
 * at once, for tests and hooks; using it while tests are being collected throws.
 */
export function suiteFixture<T extends object>(create: () => Promise<T>, dispose?: (value: T) => Promise<unknown>): T {
  let created: T | null = null;
  const value = (): T => {
    if (created === null) throw new Error('The fixture does not exist before the suite runs.');
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
      // Methods need the object itself: private fields are not reached through a proxy.
      return typeof member === 'function' ? member.bind(value()) : member;
    },
    set: (_, key, member) => Reflect.set(value(), key, member),
    ownKeys: () => Reflect.ownKeys(value()),
    getOwnPropertyDescriptor: (_, key) => Reflect.getOwnPropertyDescriptor(value(), key),
  });
}
