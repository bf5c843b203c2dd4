import { expect, it } from 'vitest';
import type { DeviceScope } from '../db/scope.ts';
import { RequestedFetches } from './requested-fetches.ts';

it('lets each garden have 60 fetches a minute, and returns the wait of others', () => {
  let time = 0;
  const fetches = new RequestedFetches({ now: () => time });
  const consume = (deviceId: number) => fetches.consume({ deviceId } as DeviceScope);
  for (let i = 0; i < 60; i++) consume(1);
  time = 15_000;
  const sentence = 'A garden may have 60 photos and manifests fetched from other servers per minute.';
  expect(() => consume(1)).toThrow(expect.objectContaining({ status: 429, wait: 45_000, message: sentence }));
  consume(2);
  time = 60_000;
  consume(1);
});
