import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Transporter } from 'nodemailer';
import type { Clock } from '../core/clock.ts';
import { timestamp } from '../core/clock.ts';
import { createDurableFolder, writeDurableFile } from '../core/durable-file.ts';
import { withLateErrors } from '../core/library-errors.ts';
import { loadedOnce } from '../core/loaded-once.ts';
import { logText } from '../core/log-text.ts';
import type { Logger } from '../core/logger.ts';
import type { Mail } from './message.ts';

/** Sends messages. */
export interface MailTransport {
  /** Rejects if the message was not accepted. */
  send(mail: Mail): Promise<void>;
  /** Rejects if messages cannot be sent at the moment. */
  verify(): Promise<void>;
  close(): void;
}

/** Timeout of each step of an attempt, in ms. */
const stepTimeout = 20_000;

const parts = (mail: Mail, from: string, date: Date) => ({
  from,
  // An object, since text would be parsed as a list of addresses.
  to: { name: '', address: mail.to },
  subject: mail.subject,
  text: mail.text,
  ...(mail.html === undefined ? {} : { html: mail.html }),
  ...(mail.attachments && {
    attachments: mail.attachments.map(({ name, type, content }) => ({ filename: name, contentType: type, content })),
  }),
  date,
  headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': mail.language },
  // Text from users must not embed files or URLs.
  disableFileAccess: true,
  disableUrlAccess: true,
});

/** Opens a transporter when it is first used, since most processes send no mail; again only after a failure. */
export function openedOnce<T extends { close(): void }>(create: () => Promise<T>) {
  let opened: T | null = null;
  let isClosed = false;
  return {
    open: loadedOnce(async () => {
      opened = await create();
      if (isClosed) opened.close();
      return opened;
    }),
    close(): void {
      isClosed = true;
      opened?.close();
    },
  };
}

/** Sends messages to a mail server: `smtp://user:password@host:port` or `smtps://…`. */
export function smtpTransport(url: string, from: string, clock: Clock, timeout = stepTimeout): MailTransport {
  const transporter = openedOnce(async () => {
    const { createTransport } = await import('nodemailer');
    return createTransport({
      url,
      pool: true,
      maxConnections: 2,
      dnsTimeout: timeout,
      connectionTimeout: timeout,
      greetingTimeout: timeout,
      socketTimeout: timeout,
    });
  });
  const attempt = async (work: (opened: Transporter) => Promise<unknown>): Promise<void> => {
    const opened = await transporter.open();
    await withLateErrors('nodemailer', () => work(opened));
  };
  return {
    async send(mail) {
      await attempt((opened) => opened.sendMail(parts(mail, from, new Date(clock.now()))));
    },
    async verify() {
      await attempt((opened) => opened.verify());
    },
    close: transporter.close,
  };
}

/** Writes each message to a file in `folder`, named by time, and its link to the log, for servers without SMTP. */
export function outboxTransport(folder: string, from: string, clock: Clock, log: Logger): MailTransport {
  const composer = openedOnce(async () => {
    const { createTransport } = await import('nodemailer');
    return createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  });
  return {
    async send(mail) {
      const now = clock.now();
      const { message } = await (await composer.open()).sendMail(parts(mail, from, new Date(now)));
      if (!Buffer.isBuffer(message)) throw new Error('the message could not be composed');
      await createDurableFolder(folder);
      const name = `${timestamp(now).replaceAll(/[:.]/g, '-')}-${randomBytes(4).toString('hex')}.eml`;
      await writeDurableFile(join(folder, name), message);
      log.info(
        {
          subject: logText(mail.subject),
          file: join(folder, name),
          ...(mail.link === undefined ? {} : { link: mail.link }),
        },
        'a mail was written to the outbox, because no mail server is set',
      );
    },
    verify: async () => undefined,
    close: composer.close,
  };
}
