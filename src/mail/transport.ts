import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import type { Clock } from '../core/clock.ts';
import { timestamp } from '../core/clock.ts';
import { createDurableFolder, writeDurableFile } from '../core/durable-file.ts';
import type { Logger } from '../core/logger.ts';
import type { Mail } from './message.ts';

/** Sends messages. Rejects when a message could not be handed over; the caller tries again. */
export interface MailTransport {
  send(mail: Mail): Promise<void>;
  /** Rejects when messages could not be handed over just now. */
  verify(): Promise<void>;
  close(): void;
}

/** Ms until an attempt is given up: the job tries again later. */
const patience = 20_000;

const parts = (mail: Mail, from: string, date: Date) => ({
  from,
  // An object, not text: an address is never read as a list of addresses.
  to: { name: '', address: mail.to },
  subject: mail.subject,
  text: mail.text,
  ...(mail.html === undefined ? {} : { html: mail.html }),
  ...(mail.attachments && {
    attachments: mail.attachments.map(({ name, type, content }) => ({ filename: name, contentType: type, content })),
  }),
  date,
  headers: { 'Auto-Submitted': 'auto-generated' },
  // Messages are made of what they are given, never of files or pages that a text names.
  disableFileAccess: true,
  disableUrlAccess: true,
});

/** Hands messages to a mail server: `smtp://user:password@host:port` or `smtps://…`. */
export function smtpTransport(url: string, from: string, clock: Clock): MailTransport {
  const transporter = createTransport({
    url,
    pool: true,
    maxConnections: 2,
    connectionTimeout: patience,
    greetingTimeout: patience,
    socketTimeout: patience,
  });
  return {
    async send(mail) {
      await transporter.sendMail(parts(mail, from, new Date(clock.now())));
    },
    async verify() {
      await transporter.verify();
    },
    close: () => transporter.close(),
  };
}

/** Writes each message to a file in `folder`, named by time, and its link to the log: for owners without a mail server. */
export function outboxTransport(folder: string, from: string, clock: Clock, log: Logger): MailTransport {
  const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  return {
    async send(mail) {
      const now = clock.now();
      const { message } = await composer.sendMail(parts(mail, from, new Date(now)));
      if (!Buffer.isBuffer(message)) throw new Error('the message could not be composed');
      await createDurableFolder(folder);
      const name = `${timestamp(now).replaceAll(/[:.]/g, '-')}-${randomBytes(4).toString('hex')}.eml`;
      await writeDurableFile(join(folder, name), message);
      log.info(
        { file: join(folder, name), ...(mail.link === undefined ? {} : { link: mail.link }) },
        'mail written to the outbox',
      );
    },
    verify: async () => undefined,
    close: () => composer.close(),
  };
}
