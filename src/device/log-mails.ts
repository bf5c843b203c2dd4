import type { Timestamp } from '../core/clock.ts';
import { currentTimestamp, timestamp } from '../core/clock.ts';
import type { Language } from '../core/languages.ts';
import { languageOf } from '../core/languages.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { jobs } from '../jobs/job-rows.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import type { MailedLog } from '../mail/fatal-error.ts';
import { fatalErrorMail } from '../mail/fatal-error.ts';
import { logDigestMail } from '../mail/log-digest.ts';
import { maxMailAttempts } from '../mail/message.ts';
import type { MailTransport } from '../mail/transport.ts';
import { devices } from './devices.ts';
import type { Gardens } from './gardens.ts';
import { logs } from './logs.ts';
import { localTime } from './time-zones.ts';

/** Jobs that collect the unsent logs of a device into mails. */
export const fatalErrorJob = 'fatal_error_mail';
export const logDigestJob = 'log_digest_mail';
/** Job that sends one of these mails to one address. */
export const logMailJob = 'log_mail';

/** Logs per mail. [rule D25] */
const maxLines = 1000;
/** Characters per log. */
const maxLineLength = 2000;
/** Interval of digests, in ms. [rule D25] */
const digestInterval = 10 * 60_000;
/** Delay in which logs that are being stored still get into the digest, in ms. */
const digestDelay = 5000;
/** Mails of logs sent concurrently: a failing robot causes many, for which sign-ups and password resets must not wait. */
const sendConcurrency = 2;

const writers = { fatal: fatalErrorMail, digest: logDigestMail } as const;
type MailName = keyof typeof writers;

/** Jobs by kind of mail. */
const collectors = { fatal: fatalErrorJob, digest: logDigestJob } as const satisfies Record<MailName, string>;

/** Returns the time at which the current digest is sent. */
export const digestTime = (now: number): Timestamp =>
  timestamp((Math.floor(now / digestInterval) + 1) * digestInterval + digestDelay);

/** Enqueues the mail for logs of this kind, inside the transaction that stores one. At most one job per device waits. */
export async function enqueueLogMail(scope: DeviceScope, queue: JobQueue, mail: MailName): Promise<void> {
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

/** Deletes the unsent mails of a device, inside a transaction. */
export async function deleteLogMails(server: ServerScope, deviceId: number): Promise<void> {
  await server.delete(jobs, { where: { kind: [fatalErrorJob, logDigestJob, logMailJob], device_id: deviceId } });
}

interface LogMailParts {
  readonly queue: JobQueue;
  readonly gardens: Gardens;
  readonly mail: MailTransport;
}

/**
 * Jobs that mail logs. The first marks the logs as sent and enqueues a job for each address in one transaction, so that
 * no log is mailed twice and a failure is retried for its address only. [rule D25]
 */
export function logMailJobs({ queue, gardens, mail }: LogMailParts): readonly JobDefinition[] {
  const collectionJob = (name: MailName): JobDefinition => ({
    kind: collectors[name],
    handle: (server, payload) =>
      server.device(jobDeviceId(payload)).transaction((scope) => collect(scope, queue, gardens, name)),
  });
  return [
    collectionJob('fatal'),
    collectionJob('digest'),
    {
      kind: logMailJob,
      waitsFor: 'mail',
      concurrency: sendConcurrency,
      async handle(_server, payload) {
        if (!isLogMail(payload)) throw new Error('the payload of the job is not a mail');
        const recipient = { to: payload.address, language: languageOf(payload.language) };
        await mail.send(writers[payload.mail](recipient, payload.deviceName, payload.lines));
      },
    },
  ];
}

/** A mail with its content: logs may be trimmed while the mail server is down. */
type LogMail = Readonly<{
  mail: MailName;
  address: string;
  /** Jobs of earlier versions have none. */
  language?: Language;
  deviceName: string;
  lines: readonly MailedLog[];
}>;

async function collect(scope: DeviceScope, queue: JobQueue, gardens: Gardens, mail: MailName): Promise<void> {
  const { deviceId, server } = scope;
  const device = await scope.first(devices);
  if (!device) return;
  const unsent = await scope.rows(logs, {
    where: { mail, sent_at: null },
    order: [['id', 'desc']],
    limit: maxLines,
  });
  if (unsent.length === 0) return;
  const linesIn = (language: Language): readonly MailedLog[] =>
    unsent.map(({ created_at, message }) => ({
      time: localTime(device.timezone, Date.parse(created_at), language),
      message: message.length > maxLineLength ? `${message.slice(0, maxLineLength)}…` : message,
    }));
  await scope.update(logs, { sent_at: currentTimestamp(scope.clock) }, { where: { id: unsent.map(({ id }) => id) } });
  for (const { to, language } of await gardens.recipients(server, deviceId)) {
    const payload: LogMail = { mail, address: to, language, deviceName: device.name, lines: linesIn(language) };
    await queue.enqueue(server, logMailJob, payload, { deviceId, maxAttempts: maxMailAttempts });
  }
  if (unsent.length === maxLines)
    await queue.enqueueOnce(server, collectors[mail], { deviceId }, { deviceId, maxAttempts: maxMailAttempts });
}

function jobDeviceId({ deviceId }: Readonly<Record<string, unknown>>): number {
  if (typeof deviceId !== 'number') throw new Error('the payload of the job has no deviceId');
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
