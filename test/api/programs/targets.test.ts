import { expect, it } from 'vitest';
import { tablesByUse, targets, targetTables, targetViews } from '../../../src/programs/targets.ts';
import { tables } from '../../../src/resources.ts';

const realTable = (name: string) => tables.find((each) => each.name === name);

it.each(targetTables)('the view of %s has columns of the real table', (name) => {
  const { columns } = targetViews[name].table;
  const real = realTable(name)?.columns ?? {};
  expect(Object.keys(columns)).toContain(targets[name].label);
  for (const [column, { type }] of Object.entries(columns))
    expect([column, real[column]?.type]).toEqual([column, type]);
});

it('has the columns of points for their type and whether they are archived', () => {
  expect(Object.keys(targetViews.points.table.columns)).toEqual(
    expect.arrayContaining(['pointer_type', 'discarded_at']),
  );
});

it('names a real table for each use', () => {
  for (const name of Object.values(tablesByUse)) expect([name, realTable(name)?.reach]).toEqual([name, 'device']);
  for (const name of targetTables) expect(tablesByUse[targets[name].use]).toBe(name);
});
