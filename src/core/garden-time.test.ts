import { describe, expect, it } from 'vitest';
import { harvestOf, plantAt, stateAt } from './garden-time.ts';
import { curveReader, plantSize } from './growth.ts';

const day = 86_400_000;
const planted = Date.parse('2026-04-01T08:00:00.000Z');
const afterDays = (days: number): number => planted + days * day;
const crop = { spread: 400, height: 600, days_to_germinate: { min: 10 }, days_to_harvest: { min: 50, max: 80 } };
const none = { spread: undefined, height: undefined, crop: undefined };
const plant = { radius: 25, plant_stage: 'planted', planted };

describe('the size of a plant', () => {
  it('follows its curves before its crop, and its crop before its radius', () => {
    const spread = curveReader({ 1: 10, 11: 110 });
    expect(plantSize(plant, { ...none, spread, crop }, afterDays(6))).toEqual({ spread: 60, height: 0 });
    expect(plantSize(plant, { ...none, crop }, afterDays(30))).toEqual({ spread: 200, height: 300 });
    expect(plantSize(plant, { ...none, height: curveReader({ 1: 7 }) }, afterDays(6))).toEqual({
      spread: 50,
      height: 7,
    });
    expect(plantSize({ ...plant, planted: null }, { ...none, crop }, afterDays(6))).toEqual({
      spread: 50,
      height: null,
    });
  });

  it.each([
    [-5, 0],
    [10, 0],
    [20, 63],
    [40, 338],
    [50, 400],
    [900, 400],
  ])('%s days after planting it has grown to %s mm by its crop', (days, expected) =>
    expect(plantSize(plant, { ...none, crop }, afterDays(days)).spread).toBe(expected),
  );

  it('is full from its harvest on, whatever the figures of germination', () => {
    const odd = { ...crop, days_to_germinate: { min: 50 } };
    expect([49, 50].map((days) => plantSize(plant, { ...none, crop: odd }, afterDays(days)).spread)).toEqual([0, 400]);
  });
});

describe('a plant over time', () => {
  const stateOf = (more: object, at: number, now: number) =>
    plantAt(
      { ...plant, ...more },
      { ...none, crop },
      harvestOf({ ...plant, ...more }, crop),
      afterDays(at),
      afterDays(now),
    )?.state ?? null;

  it.each([
    [{}, -1, 0, 'planned'],
    [{}, 0, 0, 'growing'],
    [{}, 49, 0, 'growing'],
    [{}, 50, 0, 'ripe'],
    [{}, 79, 0, 'ripe'],
    // It leaves at the end of its harvest.
    [{}, 80, 0, null],
    // The garden is right, not the figures.
    [{}, 80, 80, 'ripe'],
    [{}, 90, 85, 'ripe'],
    [{ plant_stage: 'planned' }, -1, -9, 'planned'],
    [{ plant_stage: 'planned' }, 1, -9, 'growing'],
    [{ plant_stage: 'planned', planted: null }, 60, 0, 'planned'],
    [{ planted: null }, 60, 0, 'growing'],
    [{ plant_stage: 'harvested' }, 90, 0, 'harvested'],
    [{ plant_stage: 'removed' }, 60, 0, 'harvested'],
  ])('%j on day %s, seen from day %s: %s', (more, at, now, expected) => expect(stateOf(more, at, now)).toBe(expected));

  it('has no harvest without a date, a crop, or after it', () => {
    expect(harvestOf(plant, crop)).toEqual({ from: afterDays(50), to: afterDays(80) });
    expect(harvestOf({ ...plant, planted: null }, crop)).toBeNull();
    expect(harvestOf(plant, undefined)).toBeNull();
    expect(harvestOf({ ...plant, plant_stage: 'harvested' }, crop)).toBeNull();
    expect(harvestOf({ ...plant, planted: Number.NaN }, crop)).toBeNull();
  });

  it('has no harvest after the year 9999, which no time of the API is in', () => {
    expect(harvestOf({ ...plant, planted: Date.parse('9999-10-12T00:00:00.000Z') }, crop)?.to).toBe(
      Date.parse('9999-12-31T00:00:00.000Z'),
    );
    expect(harvestOf({ ...plant, planted: Date.parse('9999-10-13T00:00:00.000Z') }, crop)).toBeNull();
  });
});

it('finds the state of a point at a time', () => {
  const states = [
    { since: 10, point: 'first' },
    { since: 20, point: null },
    { since: 30, point: 'back' },
  ];
  const pointAt = (at: number) => stateAt(states, at)?.point ?? null;
  expect([9, 10, 19, 20, 29, 30, 99].map(pointAt)).toEqual([null, 'first', 'first', null, null, 'back', 'back']);
  expect(stateAt([], 5)).toBeNull();
});
