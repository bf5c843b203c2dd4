import type { Timestamp } from '../core/clock.ts';
import { present, timestamp } from '../core/clock.ts';
import type { ServerScope } from '../db/scope.ts';
import type { ToldLog } from '../mail/fatal-error.ts';
import { fatalErrorMail } from '../mail/fatal-error.ts';
import { logDigestMail } from '../mail/log-digest.ts';
import type { Mail } from '../mail/message.ts';
import { devices } from './devices.ts';
import { logs } from './logs.ts';
import type { Owners } from './owners.ts';
import { localTime } from './time-zones.ts';

export const fatalErrorJob = 'fatal_error_mail';
export const logDigestJob = 'log_digest_mail';

/** Lines of one mail at most. [reference 8.6] */
const mostLines = 1000;
/** How often collections are mailed, in ms. */
const digestInterval = 10 * 60_000;
/** Logs that are just being stored when a collection ends still get into it. */
const digestDelay = 5000;

/** The collection that is open now: since when, and when it is mailed. */
export function nextDigest(now: number): { from: Timestamp; mailedAt: Timestamp } {
  const from = Math.floor(now / digestInterval) * digestInterval;
  return { from: timestamp(from), mailedAt: timestamp(from + digestInterval + digestDelay) };
}

/** Sends one message; rejects when it could not be handed over. */
export interface Mailer {
  send(mail: Mail): Promise<void>;
}

interface LogMailParts {
  readonly owners: Owners;
  readonly mailer: Mailer;
}

/** Work for the job queue. */
export interface JobKind {
  readonly kind: string;
  handle(server: ServerScope, payload: unknown): Promise<void>;
}

/** The jobs that mail what logs ask to be mailed. What was mailed is marked, so another run has nothing to do. */
export function logMailJobs({ owners, mailer }: LogMailParts): readonly JobKind[] {
  const mailed = (mail: 'fatal' | 'digest', write: typeof fatalErrorMail): JobKind['handle'] => {
    return async (server, payload) => {
      const scope = server.device(deviceIdOf(payload));
      const device = await scope.first(devices);
      if (!device) return;
      const unsent = await scope.rows(logs, {
        where: { mail, sent_at: null },
        order: [
          ['created_at', 'desc'],
          ['id', 'desc'],
        ],
        limit: mostLines,
      });
      if (unsent.length === 0) return;
      const lines: ToldLog[] = unsent.map(({ created_at, message }) => ({
        time: localTime(device.timezone, Date.parse(created_at)),
        message,
      }));
      for (const address of await owners.addresses(server, device.id))
        await mailer.send(write(address, device.name, lines));
      await scope.update(logs, { sent_at: present(scope.clock) }, { where: { id: unsent.map(({ id }) => id) } });
    };
  };
  return [
    { kind: fatalErrorJob, handle: mailed('fatal', fatalErrorMail) },
    { kind: logDigestJob, handle: mailed('digest', logDigestMail) },
  ];
}

function deviceIdOf(payload: unknown): number {
  if (typeof payload === 'object' && payload !== null && 'deviceId' in payload && typeof payload.deviceId === 'number')
    return payload.deviceId;
  throw new Error('the job does not say which device it is about');
}
