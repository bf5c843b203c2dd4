import { once } from 'node:events';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

/** An SMTP server on 127.0.0.1 that stores the mails it receives. */
export class MailServer {
  /** The response to RCPT TO: null to accept, `450 …` for a temporary and `550 …` for a permanent failure. */
  rejection: string | null = null;
  /** Responses for single recipients, by address. */
  readonly rejections = new Map<string, string>();
  /** Recipients of RCPT TO so far, including rejected ones. */
  readonly requestedRecipients: string[] = [];
  readonly received: { readonly to: readonly string[]; readonly mail: Email }[] = [];
  readonly #server: SMTPServer;

  constructor() {
    this.#server = new SMTPServer({
      authOptional: true,
      allowInsecureAuth: true,
      disabledCommands: ['STARTTLS'],
      logger: false,
      onAuth: (auth, _session, done) => {
        if (auth.username === 'potager' && auth.password === 'right') done(null, { user: 'potager' });
        else done(new Error('Invalid username or password'));
      },
      onRcptTo: ({ address }, _session, done) => {
        this.requestedRecipients.push(address);
        const refusal = this.rejections.get(address) ?? this.rejection;
        if (refusal === null) return done();
        const [code, ...words] = refusal.split(' ');
        return done(Object.assign(new Error(words.join(' ')), { responseCode: Number(code) }));
      },
      onData: (stream, session, done) => {
        const parts: Buffer[] = [];
        stream.on('data', (part: Buffer) => parts.push(part));
        stream.on('end', () => {
          const to = session.envelope.rcptTo.map(({ address }) => address);
          void PostalMime.parse(Buffer.concat(parts)).then((mail) => {
            this.received.push({ to, mail });
            done();
          }, done);
        });
      },
    });
    // Clients may disconnect at any time.
    this.#server.on('error', () => undefined);
  }

  /** Starts listening and returns the SMTP_URL. `login` is `user:password`. */
  async listen(login?: string): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server.server, 'listening');
    const address = this.#server.server.address();
    if (!address || typeof address !== 'object') throw new Error('the mail server has no port');
    return `smtp://${login === undefined ? '' : `${login}@`}127.0.0.1:${address.port}`;
  }

  close(): Promise<void> {
    return new Promise((done) => this.#server.close(() => done()));
  }
}
