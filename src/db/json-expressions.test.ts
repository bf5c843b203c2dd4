import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { concatenate, jsonParts } from './json-expressions.ts';
import type { Database } from './session.ts';
import { openSqlite } from './sqlite.ts';

describe('concatenate', () => {
  it('merges adjacent constants and builds a balanced tree', () => {
    expect(concatenate([{ text: 'a' }, { text: "b'" }])).toBe("'ab'''");
    expect(concatenate([{ sql: 'v' }])).toBe('(v)');
    expect(concatenate([{ text: 'a' }, { sql: 'v' }])).toBe("'a' || (v)");
    expect(concatenate([{ text: 'a' }, { sql: 'v' }, { text: 'b' }])).toBe("('a' || (v)) || ('b')");
    expect(concatenate(['v', 'w', 'x', 'y'].map((sql) => ({ sql })))).toBe('((v) || (w)) || ((x) || (y))');
  });

  it('writes null for nullable values', () => {
    expect(concatenate(jsonParts('sqlite', 'time', 't', false))).toBe(`('"' || (t)) || ('"')`);
    expect(concatenate(jsonParts('sqlite', 'integer', 'n', true))).toBe("(coalesce((n), 'null'))");
  });
});

describe('floats on SQLite', () => {
  let folder: string;
  let database: Database;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'potager-numbers-'));
    database = openSqlite(join(folder, 'potager.sqlite'));
  });
  afterAll(async () => {
    await database.close();
    rmSync(folder, { recursive: true });
  });

  const written = async (values: readonly number[]): Promise<unknown[]> => {
    const rows = values.map(() => '(?)').join();
    const number = concatenate(jsonParts('sqlite', 'float', 'v', false));
    const query = `with numbers(v) as (values ${rows}) select '' || ${number} from numbers`;
    return (await database.reader.query(query, values)).map(([text]) => text);
  };

  /** Returns the adjacent double, away from zero or towards it. */
  const adjacent = (value: number, step: 1n | -1n): number => {
    const bits = new BigInt64Array(new Float64Array([value]).buffer);
    bits[0] = (bits[0] ?? 0n) + step;
    return new Float64Array(bits.buffer)[0] ?? 0;
  };
  const thousandths = fc
    .oneof(fc.maxSafeInteger(), fc.integer({ min: -50_000_000, max: 50_000_000 }))
    .map((n) => n / 1000);
  const numbers = fc.oneof(
    thousandths,
    thousandths.map((value) => (value === 0 ? 0 : adjacent(value, 1n))),
    thousandths.map((value) => (value === 0 ? 0 : adjacent(value, -1n))),
    fc.tuple(fc.maxSafeInteger(), fc.integer({ min: 0, max: 15 })).map(([n, digits]) => n / 10 ** digits),
    fc.double({ min: -(2 ** 53 - 1), max: 2 ** 53 - 1, noNaN: true }),
    fc.double({ min: -1, max: 1, noNaN: true }),
    fc.maxSafeInteger(),
  );

  it('have the digits of JSON.stringify', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(numbers, { minLength: 200, maxLength: 200 }), async (values) => {
        expect(await written(values)).toEqual(values.map((value) => JSON.stringify(value)));
      }),
      { numRuns: 100 },
    );
  });

  it('have the shortest digits', async () => {
    const values = [294236677178.691, 13998843638.658, 0.001, -0.001, 999_999_999_999.999, 1_000_000_000_000.001];
    expect(await written(values)).toEqual([
      '294236677178.691',
      '13998843638.658',
      '0.001',
      '-0.001',
      '999999999999.999',
      '1000000000000.001',
    ]);
  });
});
