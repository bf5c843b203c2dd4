import { expect, it } from 'vitest';
import { fakeServerScope } from '../../test/support/fake-scopes.ts';
import { jobRun } from '../../test/support/job-run.ts';
import { systemClock } from '../core/clock.ts';
import { sessionEndJob } from './session-ends.ts';

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

it('sessions wait for nothing at their end, unless the robot is to receive something first', async () => {
  const calls: unknown[] = [];
  const server = fakeServerScope(systemClock, silent, { commits: 0, rollbacks: 0, identities: [] });
  const job = sessionEndJob({
    publish: async ({ topic }) => void calls.push(topic),
    endSessions: async (...call) => void calls.push(call),
  });
  await job.handle(server, { device: 5, resets_robot: false }, jobRun);
  expect(calls.splice(0)).toEqual([[5, false]]);
  await job.handle(server, { device: 5, resets_robot: true }, jobRun);
  expect(calls).toEqual(['bot/device_5/from_clients', [5, true]]);
});
