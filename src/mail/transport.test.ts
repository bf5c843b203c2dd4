import { once } from 'node:events';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { afterEach, describe, expect, it } from 'vitest';
import { syncedDuring } from '../../test/support/synced-paths.ts';
import { fatalErrorMail } from './fatal-error.ts';
import { passwordResetMail } from './password-reset.ts';
import { openedOnce, outboxTransport, smtpTransport } from './transport.ts';
import { welcomeMail } from './welcome.ts';

const clock = { now: () => Date.UTC(2026, 3, 1, 6, 30) };
const ada = { to: 'ada@example.com', language: 'en' } as const;
const from = 'Potager <potager@garden.example>';

function recordingLog() {
  const lines: object[] = [];
  const note = (object: object) => lines.push(object);
  return { lines, debug: note, info: note, warn: note, error: note };
}

describe('a transporter', () => {
  it('is opened once, again after a failure, and closed even while it is being opened', async () => {
    let attempts = 0;
    const closed: number[] = [];
    const { open, close } = openedOnce(async () => {
      const attempt = ++attempts;
      if (attempt === 1) throw new Error('Too many open files');
      return { close: () => closed.push(attempt) };
    });
    await expect(open()).rejects.toThrow('Too many open files');
    const opening = open();
    close();
    const opened = await opening;
    expect(closed).toEqual([2]);
    expect(await open()).toBe(opened);
  });
});

describe('the outbox', () => {
  it('writes one complete file per message, named by time, and logs the link', async () => {
    const folder = join(await mkdtemp(join(tmpdir(), 'potager-outbox-')), 'outbox');
    const log = recordingLog();
    const outbox = outboxTransport(folder, from, clock, log);
    const link = `http://192.168.1.20:3000/password_reset/${'eyJ0eXAi.'.repeat(80)}x`;
    await outbox.send(passwordResetMail(ada, 'Ada <b>', link));
    const [name, ...others] = await readdir(folder);
    expect(others).toEqual([]);
    expect(name).toMatch(/^2026-04-01T06-30-00-000Z-[0-9a-f]{8}\.eml$/);
    const message = await PostalMime.parse(await readFile(join(folder, name ?? '')));
    expect(message.to).toEqual([{ address: 'ada@example.com', name: '' }]);
    expect(message.from).toEqual({ address: 'potager@garden.example', name: 'Potager' });
    expect(message.subject).toBe('Password reset instructions');
    expect(message.text?.split(/\r?\n/)).toContain(link);
    expect(message.text).toContain('password reset');
    expect(message.html).toContain(`href="${link}"`);
    expect(message.html).toContain('Ada &lt;b&gt;');
    expect(log.lines).toEqual([{ subject: 'Password reset instructions', file: join(folder, name ?? ''), link }]);
  });

  it('syncs the folder, so that a message survives a power loss', async () => {
    const folder = join(await mkdtemp(join(tmpdir(), 'potager-outbox-')), 'outbox');
    const outbox = outboxTransport(folder, from, clock, recordingLog());
    const synced = await syncedDuring(folder, () => outbox.send(welcomeMail(ada, 'Ada', 'http://a/b')));
    expect(synced.map(([name]) => name)).toEqual([
      basename(dirname(folder)),
      expect.stringMatching(/\.eml\..+\.partial$/),
      'outbox',
    ]);
  });

  it('logs no link for messages without one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'potager-outbox-'));
    const log = recordingLog();
    await outboxTransport(folder, from, clock, log).send(
      fatalErrorMail(ada, 'Robby\r\nBcc: eve@example.com', [{ time: '06:30 AM', message: 'Stuck at (1, 2)' }]),
    );
    const [name] = await readdir(folder);
    const message = await PostalMime.parse(await readFile(join(folder, name ?? '')));
    expect(message.subject).toBe('New error reported by Robby Bcc: eve@example.com');
    expect(message.bcc ?? []).toEqual([]);
    expect(message.text).toContain('[06:30 AM]: Stuck at (1, 2)');
    expect(message.html).toBeUndefined();
    expect(log.lines).toEqual([
      { subject: 'New error reported by Robby Bcc: eve@example.com', file: join(folder, name ?? '') },
    ]);
  });
});

describe('a mail server', () => {
  let server: SMTPServer | null = null;
  afterEach(() => new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve())));

  function listen(refuses: boolean): Promise<{ url: string; received: { to: string[]; content: string }[] }> {
    const received: { to: string[]; content: string }[] = [];
    const created = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onRcptTo: (_address, _session, callback) => callback(refuses ? new Error('mailbox unavailable') : null),
      onData(stream, session, callback) {
        const parts: Buffer[] = [];
        stream.on('data', (part: Buffer) => parts.push(part));
        stream.on('end', () => {
          received.push({
            to: session.envelope.rcptTo.map(({ address }) => address),
            content: Buffer.concat(parts).toString(),
          });
          callback();
        });
      },
    });
    server = created;
    return new Promise((resolve) => {
      created.listen(0, '127.0.0.1', () => {
        const address = created.server.address();
        const port = typeof address === 'object' && address ? address.port : 0;
        resolve({ url: `smtp://127.0.0.1:${port}`, received });
      });
    });
  }

  it('receives messages', async () => {
    const { url, received } = await listen(false);
    const transport = smtpTransport(url, from, clock);
    await transport.send(welcomeMail(ada, 'Ada', 'http://192.168.1.20:3000/verify/0f3c'));
    transport.close();
    expect(received.map(({ to }) => to)).toEqual([['ada@example.com']]);
    const message = await PostalMime.parse(received[0]?.content ?? '');
    expect(message.text).toContain('http://192.168.1.20:3000/verify/0f3c');
    expect(message.text).toContain('Hello Ada,');
    expect(message.date).toBe('2026-04-01T06:30:00.000Z');
  });

  it('makes send() reject if it rejects the message or is unavailable', async () => {
    const { url } = await listen(true);
    const refused = smtpTransport(url, from, clock);
    await expect(refused.send(welcomeMail(ada, 'Ada', 'http://a/b'))).rejects.toThrow();
    refused.close();
    const unavailable = smtpTransport('smtp://127.0.0.1:1', from, clock);
    await expect(unavailable.send(welcomeMail(ada, 'Ada', 'http://a/b'))).rejects.toThrow();
    unavailable.close();
  });

  describe('that is odd', () => {
    let odd: Server;
    afterEach(() => new Promise<unknown>((resolve) => odd.close(resolve)));

    /** A server that answers lines with the results of `answer`. */
    async function listenOdd(answer: (line: string) => string | null): Promise<string> {
      odd = createServer((socket: Socket) => {
        socket.on('error', () => undefined);
        const reply = (line: string) => {
          const text = answer(line);
          if (text !== null) socket.write(`${text}\r\n`);
        };
        reply('');
        socket.on('data', (data) => {
          for (const line of data.toString().split('\r\n').filter(Boolean)) reply(line);
        });
        socket.on('end', () => socket.destroy());
      });
      odd.listen(0, '127.0.0.1');
      await once(odd, 'listening');
      const address = odd.address();
      return `smtp://potager:secret@127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
    }

    it.each(['XOAUTH2', 'OAUTHBEARER', 'GSSAPI NTLM', ''])(
      'fails an attempt where it offers AUTH %s',
      async (methods) => {
        const url = await listenOdd((line) => {
          if (line === '') return '220 mail.example ESMTP';
          if (line.startsWith('EHLO')) return `250-mail.example\r\n250 AUTH ${methods}`;
          return line.startsWith('QUIT') ? '221 bye' : '535 5.7.8 authentication failed';
        });
        const transport = smtpTransport(url, from, clock);
        await expect(transport.send(welcomeMail(ada, 'Ada', 'http://a/b'))).rejects.toThrow();
        await expect(transport.verify()).rejects.toThrow();
        transport.close();
      },
    );

    it('fails an attempt when it is silent for the time of a step', async () => {
      const transport = smtpTransport(await listenOdd(() => null), from, clock, 200);
      await expect(transport.send(welcomeMail(ada, 'Ada', 'http://a/b'))).rejects.toThrow(/greeting|timeout/i);
      transport.close();
    });
  });
});
