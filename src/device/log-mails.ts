import type { Timestamp } from '../core/clock.ts';
import { currentTimestamp, timestamp } from '../core/clock.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { jobs } from '../jobs/job-rows.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import type { ToldLog } from '../mail/fatal-error.ts';
import { fatalErrorMail } from '../mail/fatal-error.ts';
import { logDigestMail } from '../mail/log-digest.ts';
import { maxMailAttempts } from '../mail/message.ts';
import type { MailTransport } from '../mail/transport.ts';
import { devices } from './devices.ts';
import { logs } from './logs.ts';
import type { Owners } from './owners.ts';
import { localTime } from './time-zones.ts';

/** The jobs that put into mails what a device's logs want to be mailed. */
export const fatalErrorJob = 'fatal_error_mail';
export const logDigestJob = 'log_digest_mail';
/** The job that sends one of these mails to one address. */
export const logMailJob = 'log_mail';

/** Lines of one mail at most. [reference 8.6] */
const mostLines = 1000;
/** Characters of one line; what is beyond them stays in the log. */
const longestLine = 2000;
/** How often collections are mailed, in ms. */
const digestInterval = 10 * 60_000;
/** Logs that are just being stored when a collection ends still get into it. */
const digestDelay = 5000;
/** Mails of logs that are sent at once: a robot in trouble has many, and sign-ups and password resets must not wait for them. */
const sentAtOnce = 2;

const writers = { fatal: fatalErrorMail, digest: logDigestMail } as const;
type MailName = keyof typeof writers;

/** Which job sees to a log's mail. */
const collectors = { fatal: fatalErrorJob, digest: logDigestJob } as const satisfies Record<MailName, string>;

/** When the collection that is open now is mailed. */
export const digestTime = (now: number): Timestamp =>
  timestamp((Math.floor(now / digestInterval) + 1) * digestInterval + digestDelay);

/** Has a device's logs of this kind mailed, inside the transaction that stores one. One job waits for a device at most. */
export async function mailSoon(scope: DeviceScope, queue: JobQueue, mail: MailName): Promise<void> {
  const { deviceId } = scope;
  await queue.enqueueOnce(
    scope.server,
    collectors[mail],
    { deviceId },
    {
      deviceId,
      maxAttempts: maxMailAttempts,
      ...(mail === 'digest' && { runAt: digestTime(scope.clock.now()) }),
    },
  );
}

/** Forgets the mails of a device that goes, inside a transaction: they tell of its garden. */
export async function dropLogMails(server: ServerScope, deviceId: number): Promise<void> {
  await server.delete(jobs, { where: { kind: [fatalErrorJob, logDigestJob, logMailJob], device_id: deviceId } });
}

interface LogMailParts {
  readonly queue: JobQueue;
  readonly owners: Owners;
  readonly mail: Pick<MailTransport, 'send'>;
}

/**
 * The jobs that mail what logs ask to be mailed. A first one marks the logs and makes a job for each address in one
 * transaction, so that each message is told once whoever comes at the same time; a failure repeats one address alone.
 */
export function logMailJobs({ queue, owners, mail }: LogMailParts): readonly JobDefinition[] {
  const collects = (name: MailName): JobDefinition => ({
    kind: collectors[name],
    handle: (server, payload) =>
      server.device(deviceIdOf(payload)).transaction((scope) => collect(scope, queue, owners, name)),
  });
  return [
    collects('fatal'),
    collects('digest'),
    {
      kind: logMailJob,
      concurrency: sentAtOnce,
      async handle(_server, payload) {
        if (!isLogMail(payload)) throw new Error('the job does not say what is to be mailed');
        await mail.send(writers[payload.mail](payload.address, payload.deviceName, payload.lines));
      },
    },
  ];
}

/** What a mail says is kept in its job: logs are trimmed and deleted while a mail server is away. */
type LogMail = Readonly<{
  mail: MailName;
  address: string;
  deviceName: string;
  lines: readonly ToldLog[];
}>;

async function collect(scope: DeviceScope, queue: JobQueue, owners: Owners, mail: MailName): Promise<void> {
  const { deviceId, server } = scope;
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
    message: message.length > longestLine ? `${message.slice(0, longestLine)}…` : message,
  }));
  await scope.update(logs, { sent_at: currentTimestamp(scope.clock) }, { where: { id: unsent.map(({ id }) => id) } });
  for (const address of await owners.addresses(server, deviceId)) {
    const payload: LogMail = { mail, address, deviceName: device.name, lines };
    await queue.enqueue(server, logMailJob, payload, { deviceId, maxAttempts: maxMailAttempts });
  }
  if (unsent.length === mostLines)
    await queue.enqueueOnce(server, collectors[mail], { deviceId }, { deviceId, maxAttempts: maxMailAttempts });
}

function deviceIdOf({ deviceId }: Readonly<Record<string, unknown>>): number {
  if (typeof deviceId !== 'number') throw new Error('the job does not say which device it is about');
  return deviceId;
}

const isLogMail = (payload: object): payload is LogMail =>
  'mail' in payload &&
  Object.hasOwn(writers, String(payload.mail)) &&
  'address' in payload &&
  typeof payload.address === 'string' &&
  'deviceName' in payload &&
  typeof payload.deviceName === 'string' &&
  'lines' in payload &&
  Array.isArray(payload.lines);
