import { expect, it } from 'vitest';
import { filteredLogs, logEntryOf, withKnown, withLive } from './log-filter.ts';

const log = (key: string, values: object) => {
  const entry = logEntryOf({ message: 'Moved', type: 'info', created_at: 1000, verbosity: 1, ...values }, key);
  if (!entry) throw new Error('no log');
  return entry;
};

it('reads stored logs and messages of the robot', () => {
  expect(
    log('7', {
      updated_at: '2026-11-28T10:00:00.000Z',
      x: 1,
      y: 2,
      z: null,
      channels: ['toast'],
      major_version: 15,
      minor_version: 4,
      patch_version: 1,
    }),
  ).toEqual({
    key: '7',
    at: 1_000_000,
    receivedAt: Date.parse('2026-11-28T10:00:00.000Z'),
    kind: 'info',
    message: 'Moved',
    verbosity: 1,
    position: [1, 2, null],
    channels: ['toast'],
    version: '15.4.1',
  });
  expect(log('8', { type: 'unheard of' }).kind).toBe('info');
  expect(logEntryOf({ message: 5 }, '9')).toBeNull();
});

it('reads the times of live messages as the server stores them', () => {
  for (const created_at of [1_700_000_000.75, 1_700_000_000_750, '2023-11-14T22:13:20.750Z', '1700000000'])
    expect(log('1', { created_at }).at, String(created_at)).toBe(1_700_000_000_000);
  const now = Date.now();
  for (const created_at of [undefined, 1e20, 'yesterday'])
    expect(log('1', { created_at }).at, String(created_at)).toBeGreaterThanOrEqual(now);
});

it('filters by kind, verbosity, text and time', () => {
  const now = Date.parse('2026-11-28T10:00:00.000Z');
  // The clock of the robot is wrong.
  const logs = [
    log('new', { created_at: 0, updated_at: '2026-11-28T10:00:00.000Z', message: 'Water the TOMATO' }),
    log('loud', { created_at: 0, updated_at: '2026-11-28T10:00:00.000Z', type: 'error', verbosity: 3 }),
    log('old', { created_at: now / 1000 + 86_400, updated_at: '2026-11-28T08:00:00.000Z' }),
  ];
  const keys = (filter: object) => filteredLogs(logs, filter, now).map(({ key }) => key);
  expect(keys({})).toEqual(['new', 'loud', 'old']);
  expect(keys({ kinds: 'error,warn' })).toEqual(['loud']);
  expect(keys({ kinds: '' })).toEqual(['new', 'loud', 'old']);
  expect(keys({ level: 2 })).toEqual(['new', 'old']);
  expect(keys({ text: 'tomato' })).toEqual(['new']);
  expect(keys({ text: 'tómató' })).toEqual(['new']);
  expect(keys({ span: 'hour' })).toEqual(['new', 'loud']);
});

it('shows a log once that arrived live and is stored by now', () => {
  const live = [log('live 2', { message: 'Not stored yet' }), log('live 1', {})];
  expect(withLive([log('7', {})], live).map(({ key }) => key)).toEqual(['live 2', '7']);
});

it('keeps the objects of logs that are read again after others', () => {
  const [before, again] = [log('7', {}), log('7', {})];
  const fresh = log('8', {});
  const logs = withKnown([fresh, again], [before]);
  expect(logs[0]).toBe(fresh);
  expect(logs[1]).toBe(before);
});
