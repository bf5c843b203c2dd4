import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { DiscoveryEchoes } from './discovery-echoes.ts';

const topic = 'homeassistant/device/potager_device_1/config';
const minute = 60_000;
let refused: number[];
let retries: number;
let echoes: DiscoveryEchoes;

beforeEach(() => {
  vi.useFakeTimers();
  refused = [];
  retries = 0;
  echoes = new DiscoveryEchoes({ onRefused: (bytes) => refused.push(bytes), onRetry: () => retries++ });
});
afterEach(() => {
  echoes.end();
  vi.useRealTimers();
});

it('reports a discovery that the broker drops, and none that it sends back', () => {
  expect(echoes.begin(topic, 'Kühlbeet')).toBe(true);
  echoes.received(topic);
  vi.advanceTimersByTime(minute);
  expect(refused).toEqual([]);
  // A later one replaces an earlier one.
  echoes.begin(topic, 'Beet');
  echoes.begin(topic, 'Kühlbeet');
  vi.advanceTimersByTime(minute);
  expect(refused).toEqual([9]);
});

it('holds a discovery back for a while at which the broker closes the connection', () => {
  echoes.begin(topic, 'Beet');
  echoes.lost();
  // The network may have been the cause.
  expect([echoes.begin(topic, 'Beet'), refused]).toEqual([true, []]);
  echoes.received(topic);
  for (let loss = 0; loss < 2; loss++) {
    expect(echoes.begin(topic, 'Beet')).toBe(true);
    echoes.lost();
  }
  expect([echoes.begin(topic, 'Beet'), echoes.begin(`${topic}/2`, 'Beet'), refused]).toEqual([false, true, [4]]);
  vi.advanceTimersByTime(10 * minute);
  expect([retries, echoes.begin(topic, 'Beet')]).toEqual([1, true]);
});
