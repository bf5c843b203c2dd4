import { execFile } from 'node:child_process';
import type { Clock } from '../core/clock.ts';
import { changeSizes } from '../db/change-rows.ts';
import { databaseTime } from '../db/database-server.ts';
import { clockJump } from '../db/lease.ts';
import type { ServerScope } from '../db/scope.ts';
import type { Database } from '../db/session.ts';
import type { CheckResult } from './check-result.ts';
import { check, notes } from './check-result.ts';

/** Difference to the clock of PostgreSQL that is worth a note, in ms: of two machines, three times as much lets jobs run twice. */
const maxDifference = 1000;

const remedy = 'Set it by a time server: sudo timedatectl set-ntp true';

const seconds = (ms: number): string => `${Math.round(Math.abs(ms) / 1000)} s`;

/** Checks the clock of this machine by the newest change in the data, and by the clock of PostgreSQL. */
export async function checkClock(database: Database, server: ServerScope, clock: Clock): Promise<CheckResult[]> {
  const result = await check('clock', async () => {
    const sent = clock.now();
    const other = await databaseTime(database);
    const received = clock.now();
    // PostgreSQL read its clock in between.
    const ahead = other === null ? 0 : Math.min(received - other, Math.max(sent - other, 0));
    if (Math.abs(ahead) > maxDifference) {
      const message = `The clock of this machine is ${seconds(ahead)} ${ahead > 0 ? 'ahead of' : 'behind'} PostgreSQL's. ${remedy}, on both.`;
      if (Math.abs(ahead) < clockJump) return { note: message };
      throw new Error(message);
    }
    const [last] = await server.rows(changeSizes, { order: [['id', 'desc']], limit: 1 });
    if (last && Date.parse(last.created_at) > received + clockJump)
      throw new Error(
        `The clock of this machine says ${new Date(received).toISOString()}, but the newest change in the data is of ${last.created_at}. ${remedy}. If it is right now, it was ahead at that change.`,
      );
    return `The clock of this machine agrees with ${other === null ? 'the data' : "the data and PostgreSQL's"}.`;
  });
  return [result, ...notes('clock', synchronizationNote(await timeSettings()))];
}

/** Returns the note that the clock is not set by a time server, from the output of `timedatectl show`, or null. */
export const synchronizationNote = (shown: string): string | null =>
  /^CanNTP=yes$/m.test(shown) && /^NTP=no$/m.test(shown)
    ? `No time server sets the clock of this machine. ${remedy}`
    : null;

/** Returns the output of systemd's `timedatectl show`; empty without systemd. */
const timeSettings = (): Promise<string> =>
  new Promise((resolve) => {
    execFile('timedatectl', ['show'], { timeout: 2000 }, (error, stdout) => resolve(error ? '' : stdout));
  });
