import { describe, expect, it } from 'vitest';
import { Problem } from '../engine/kinds.ts';
import { itemsKind } from './regimen-items.ts';

const read = (value: unknown) => {
  const items = itemsKind.parse(value, 'regimen_items');
  return items instanceof Problem ? { refused: items.failure } : items;
};

describe('the items of a regimen', () => {
  it('have two numbers; other keys are ignored', () => {
    expect(read([])).toEqual([]);
    expect(
      read([
        { sequence_id: 1, time_offset: -1, id: 9, regimen_id: 8 },
        { sequence_id: '7', time_offset: '1000 ms' },
        { sequence_id: 7, time_offset: Number.MAX_SAFE_INTEGER, ['__proto__']: { time_offset: 1 } },
      ]),
    ).toEqual([
      { sequence_id: 1, time_offset: -1 },
      { sequence_id: 7, time_offset: 1000 },
      { sequence_id: 7, time_offset: Number.MAX_SAFE_INTEGER },
    ]);
  });

  it('are a list of at most 500', () => {
    const item = { sequence_id: 1, time_offset: 0 };
    expect(read(Array(500).fill(item))).toHaveLength(500);
    expect(read(Array(501).fill(item))).toEqual({ refused: 'Regimen Items may be at most 500.' });
    for (const value of ['x', 5, true, {}, item])
      expect(read(value)).toEqual({ refused: 'Regimen Items must be a list.' });
  });

  it('have failures at the positions of the invalid items', () => {
    const good = { sequence_id: 1, time_offset: 0 };
    expect(
      read([
        good,
        { sequence_id: 1 },
        'x',
        { sequence_id: null, time_offset: '' },
        { sequence_id: true, time_offset: 1.5 },
        { sequence_id: 1, time_offset: Number.POSITIVE_INFINITY },
        JSON.parse('{"__proto__": {"sequence_id": 1, "time_offset": 1}}'),
        { sequence_id: 1, time_offset: 2 ** 60 },
      ]),
    ).toEqual({
      refused: [
        null,
        { time_offset: 'Time Offset is required.' },
        'Each item must be an object.',
        { sequence_id: 'Sequence ID must not be null.', time_offset: 'Time Offset must not be blank.' },
        { sequence_id: 'Sequence ID must be a whole number.', time_offset: 'Time Offset must be a whole number.' },
        { time_offset: 'Time Offset must be a whole number.' },
        { sequence_id: 'Sequence ID is required.', time_offset: 'Time Offset is required.' },
        { time_offset: 'Time Offset must be from -9007199254740991 to 9007199254740991.' },
      ],
    });
  });
});
