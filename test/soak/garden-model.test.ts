import { beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../support/json.ts';
import { GardenModel, type ModelRecord } from './garden-model.ts';
import { recordKinds } from './record-kinds.ts';

// A soak that overlooks a loss is worse than none.

const [kind] = recordKinds;
if (!kind) throw new Error('there are no kinds');

let model: GardenModel;
beforeEach(() => {
  model = new GardenModel('own.');
});

/** Returns a record of the model that was created with `flow_rate_ml_per_s: 1`. */
function create(name: string, id: number | null): ModelRecord {
  model.created(kind as NonNullable<typeof kind>, name, { name, flow_rate_ml_per_s: 1 }, id);
  return model.existing().find((record) => record.name === name) as ModelRecord;
}
const row = (id: number, name: string, flow: number): JsonObject => ({
  id,
  name,
  flow_rate_ml_per_s: flow,
  status: 'x',
});
const problems = (...rows: JsonObject[]) => model.compare('tools', rows).length;

describe('the model of a soak', () => {
  it('accepts acknowledged records, and records of others', () => {
    create('own.1', 5);
    expect(problems(row(5, 'own.1', 1), row(6, 'other.1', 7))).toBe(0);
  });

  it('reports lost, old, repeated, renumbered and unknown records', () => {
    create('own.1', 5);
    expect(problems()).toBe(1);
    expect(problems(row(5, 'own.1', 0))).toBe(1);
    expect(problems(row(5, 'own.1', 1), row(6, 'own.1', 1))).toBe(1);
    // It is also lost.
    expect(problems(row(6, 'own.1', 1))).toBe(2);
    expect(problems(row(5, 'own.1', 1), row(6, 'own.2', 1))).toBe(1);
  });

  it('accepts both outcomes of a request without a response, and nothing in between', () => {
    const record = create('own.1', 5);
    model.changed(record, { flow_rate_ml_per_s: 2, seeder_tip_z_offset: 2 }, false);
    expect(problems({ ...row(5, 'own.1', 1), seeder_tip_z_offset: 80 })).toBe(0);
    expect(problems({ ...row(5, 'own.1', 2), seeder_tip_z_offset: 2 })).toBe(0);
    expect(problems({ ...row(5, 'own.1', 2), seeder_tip_z_offset: 80 })).toBe(1);
    expect(problems()).toBe(1);
    // Nothing is written to it until its state is known.
    expect(model.existing()).toEqual([]);
    model.adopt('tools', [{ ...row(5, 'own.1', 2), seeder_tip_z_offset: 2 }]);
    expect(model.existing()).toHaveLength(1);
    expect(problems({ ...row(5, 'own.1', 1), seeder_tip_z_offset: 80 })).toBe(1);
  });

  it('accepts a create without a response once', () => {
    create('own.1', null);
    expect(problems()).toBe(0);
    expect(problems(row(5, 'own.1', 1))).toBe(0);
    expect(problems(row(5, 'own.1', 2))).toBe(1);
    model.adopt('tools', []);
    expect(problems(row(5, 'own.1', 1))).toBe(1);
  });

  it('reports deleted records that are back, and deletions of a part', () => {
    const [one, two] = [create('own.1', 5), create('own.2', 6)];
    model.deleted([one, two], false);
    expect(problems()).toBe(0);
    expect(problems(row(5, 'own.1', 1), row(6, 'own.2', 1))).toBe(0);
    expect(problems(row(5, 'own.1', 1))).toBeGreaterThan(0);
    model.deleted([one, two], true);
    expect(problems(row(5, 'own.1', 1))).toBe(1);
    expect(problems()).toBe(0);
  });
});
