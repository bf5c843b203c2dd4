import { pino } from 'pino';
import { expect, it } from 'vitest';
import { CommandRunner } from '../../../src/home-assistant/command-runner.ts';
import type { LiveOffer } from '../../../src/live/offer.ts';
import { fakeServerScope } from '../../support/fake-scopes.ts';

it('has a robot run at most 60 commands a minute, and logs few of the others; emergency stops do not count', () => {
  const time = { now: 0 };
  const clock = { now: () => time.now };
  const log = pino({ level: 'silent' });
  const server = fakeServerScope(clock, log, { commits: 0, rollbacks: 0, identities: [] });
  const sent: number[] = [];
  const emergencies: string[] = [];
  const warnings: unknown[] = [];
  const runner = new CommandRunner({
    server: () => server,
    clock,
    log: Object.assign(log, { warn: (details: unknown) => void warnings.push(details) }),
    live: {
      commands: {
        send: async ({ deviceId }) => {
          sent.push(deviceId);
          return { status: 'ok', explanation: null };
        },
        sendEmergency: async (_scope, kind) => {
          emergencies.push(kind);
          return { status: 'ok', explanation: null };
        },
      },
    } as Partial<LiveOffer> as LiveOffer,
  });
  for (let count = 0; count < 70; count++) runner.run({ deviceId: 5, program: { sequence_id: 1 } });
  expect(sent).toHaveLength(60);
  expect(warnings).toHaveLength(5);
  expect(warnings[0]).toEqual({ device: 5, reason: 'More than 60 commands within a minute.' });
  runner.run({ deviceId: 5, program: 'emergency_lock' });
  expect(emergencies).toEqual(['emergency_lock']);
  // Another garden, and the next minute.
  runner.run({ deviceId: 6, program: { sequence_id: 1 } });
  time.now = 60_000;
  runner.run({ deviceId: 5, program: { sequence_id: 1 } });
  expect(sent.slice(60)).toEqual([6, 5]);
});
