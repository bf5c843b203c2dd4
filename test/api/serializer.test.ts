import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import type { Column } from '../../src/db/columns.ts';
import type { DeviceScope } from '../../src/db/scope.ts';
import type { AnyResource, Resource } from '../../src/engine/resource.ts';
import { jsonSelection } from '../../src/engine/serializer.ts';
import { resources } from '../../src/resources.ts';
import { suiteApp } from '../support/app.ts';
import { describeEngines } from '../support/engines.ts';

// Compares the JSON that the database writes with the text of JSON.stringify, byte by byte.

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(
    '',
    '"\\/',
    '\u0001\b\f\n\r\t\u001f\u007f',
    '\u2028\u2029',
    'é🍅',
    "it's",
    '{"a":1}',
    'null',
    '12',
    '%s %d',
  ),
);
const times = fc
  .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
  .map((date) => date.toISOString());
const floats = fc.oneof(
  fc.double({ min: -(2 ** 53 - 1), max: 2 ** 53 - 1, noNaN: true }),
  fc.float({ min: -(2 ** 52), max: 2 ** 52, noNaN: true }),
  fc.integer().map((n) => n / 10),
  fc.integer({ min: -50_000, max: 50_000 }).map((n) => n / 3),
  fc.constantFrom(0, -0, 0.1, 0.1 + 0.2, 1e-7, 1.5e-7, 1e-6, 123e-6, 1e15, 5e-324, 123456789012345.6),
);
const json = fc.oneof(
  fc.dictionary(texts, texts, { maxKeys: 4 }),
  fc.jsonValue({ maxDepth: 2 }).filter((value) => typeof value === 'object' && value !== null),
);

const arbitraries: Record<Column['type'], fc.Arbitrary<unknown>> = {
  text: texts,
  integer: fc.integer(),
  bigint: fc.maxSafeInteger(),
  float: floats,
  boolean: fc.boolean(),
  time: times,
  json,
};

/** Returns rows of random values. Foreign keys are null or `parent`. */
function rowOf(resource: AnyResource, parent: number | null): fc.Arbitrary<Record<string, unknown>> {
  const values: Record<string, fc.Arbitrary<unknown>> = {};
  for (const [name, { type, isNullable, foreignKey }] of Object.entries(resource.columns)) {
    if (name === 'id' || name === 'device_id') continue;
    if (foreignKey) values[name] = fc.constant(isNullable ? null : parent);
    else if (name === 'pointer_type') values[name] = fc.constantFrom('Plant', 'Weed', 'GenericPointer', 'ToolSlot');
    else values[name] = isNullable ? fc.option(arbitraries[type], { freq: 3 }) : arbitraries[type];
  }
  return fc.record(values);
}

/** Returns the record to be expected, without values of SQL expressions. */
function written(resource: AnyResource, row: Record<string, unknown>): Record<string, unknown> {
  const { createdAt, showsDevice, discriminator } = resource.options;
  const { id, created_at, updated_at, device_id } = row;
  const record: Record<string, unknown> = {
    id,
    created_at: createdAt === 'seconds' ? Math.floor(Date.parse(String(created_at)) / 1000) : created_at,
    updated_at,
    ...(showsDevice ? { device_id } : {}),
  };
  for (const [name, { traits }] of Object.entries(resource.fields))
    if (traits.isShown && (!traits.variants || traits.variants.includes(String(row[discriminator ?? '']))))
      record[name] = row[name];
  return record;
}

describeEngines('the serializer', (engine) => {
  const server = suiteApp(engine);
  let scope: DeviceScope;
  let garden: number;

  beforeAll(async () => {
    const account = await server.signUp();
    scope = server.app.server().device(account.deviceId);
    garden = (await server.call('POST', '/api/saved_gardens', { token: account.token, body: { name: 'Parent' } })).json
      .id;
  });

  it.each(resources.map((resource) => [resource.name, resource] as const))('%s', async (_name, declared) => {
    const resource = declared as Resource;
    const bySql = Object.entries(resource.fields)
      .filter(([, { traits }]) => traits.shownAs !== null)
      .map(([name]) => name);
    await fc.assert(
      fc.asyncProperty(rowOf(declared, garden), async (values) => {
        await scope
          .transaction(async (inner) => {
            await inner.delete(resource, {});
            const row = await inner.insert(resource, values as never);
            const [text = ''] = await inner.select(resource, jsonSelection(resource));
            const expected = written(declared, row);
            const parsed = JSON.parse(text);
            for (const name of bySql) expected[name] = parsed[name];
            expect(text).toBe(JSON.stringify(expected));
            throw undone;
          })
          .catch((error: unknown) => {
            if (error !== undone) throw error;
          });
      }),
      { numRuns: 60 },
    );
  });
});

const undone = new Error('undone');
