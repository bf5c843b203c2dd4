import { runPlaces, runs } from '../../src/runs/run-records.ts';
import type { Account, TestApp } from './app.ts';

/** Stores a run that is over: a request for one needs a robot. Returns its id. */
export async function storeRun({ app }: TestApp, { deviceId, userId }: Account, name = 'Water plant'): Promise<number> {
  const ended = { state: 'done', total: 1, done: 1, skipped: 0, ended_at: '2026-04-01T08:00:00.000Z' } as const;
  const values = { name, ...ended, point_id: null, place: null, problem: null, user_id: userId, is_sent: false };
  const scope = app.server().device(deviceId);
  const run = await scope.insert(runs, values);
  await scope.insert(runPlaces, { run_id: run.id, number: 1, point_id: 1, name, program: { kind: 'sync', args: {} } });
  return run.id;
}
