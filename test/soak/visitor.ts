import { setTimeout as sleep } from 'node:timers/promises';
import { textAt } from '../support/json.ts';
import { MqttTestClient } from '../support/mqtt-test-client.ts';
import { linkPath, nextEmail, password, type SoakAccount, signUpBody } from './account.ts';
import type { Installation } from './installation.ts';
import type { Random } from './random.ts';
import { collections } from './record-kinds.ts';
import type { SoakReport } from './soak-report.ts';

const pages = ['/', '/health', '/docs', '/api/public_key', '/api/corpus'];
/** Sessions that stay open at the end. */
const keptSessions = 20;

/** A session; `isOver` is null if the outcome of the sign-out is unknown. */
interface VisitorSession {
  readonly token: string;
  isOver: boolean | null;
}

/** A client that signs up, signs in and out, requests password resets, reads, and connects to the broker briefly. */
export class Visitor {
  readonly #account: SoakAccount;
  readonly #installation: Installation;
  readonly #random: Random;
  readonly #report: SoakReport;
  readonly #sessions: VisitorSession[] = [];
  /** Addresses of acknowledged sign-ups. */
  readonly #signUps: string[] = [];
  #resets = 0;

  constructor(installation: Installation, account: SoakAccount, random: Random, report: SoakReport) {
    this.#account = account;
    this.#installation = installation;
    this.#random = random;
    this.#report = report;
  }

  async work(): Promise<void> {
    const dice = this.#random.next();
    if (dice < 0.08) await this.#signUp();
    else if (dice < 0.14) await this.#requestReset();
    else if (dice < 0.35) await this.#signIn();
    else if (dice < 0.5) await this.#signOut();
    else if (dice < 0.75) await this.#connect();
    else await this.#read();
  }

  async #signUp(): Promise<void> {
    const email = nextEmail();
    const { api } = this.#installation;
    const outcome = await api.sendValid(this.#random, 'POST', '/api/users', { body: signUpBody(email) });
    if (outcome.kind === 'acknowledged') this.#signUps.push(email);
  }

  async #requestReset(): Promise<void> {
    const { api } = this.#installation;
    const body = { email: this.#account.email };
    const outcome = await api.sendValid(this.#random, 'POST', '/api/password_resets', { body });
    if (outcome.kind === 'acknowledged') this.#resets++;
  }

  async #signIn(): Promise<void> {
    const { api } = this.#installation;
    const body = { user: { email: this.#account.email, password } };
    const outcome = await api.sendValid(this.#random, 'POST', '/api/tokens', { body });
    if (outcome.kind !== 'acknowledged') return;
    this.#sessions.push({ token: textAt(outcome.response.json, 'token.encoded'), isOver: false });
  }

  async #signOut(): Promise<void> {
    const { api } = this.#installation;
    const open = this.#sessions.filter(({ isOver }) => isOver === false);
    const session = open.length > keptSessions ? open[0] : open.at(-1);
    if (!session) return;
    const outcome = await api.sendValid(this.#random, 'DELETE', '/api/tokens', { token: session.token });
    if (outcome.kind === 'unknown') session.isOver = null;
    if (outcome.kind !== 'acknowledged') return;
    session.isOver = true;
    // Also on servers that accepted it a moment ago.
    await this.#compareSession(session);
  }

  async #connect(): Promise<void> {
    const { bot, token } = this.#account;
    const url = this.#random.pick(this.#installation.brokerUrls);
    try {
      const client = await MqttTestClient.connect(url, { username: bot, password: token, connectTimeout: 10_000 });
      try {
        await client.subscribe([`bot/${bot}/sync/#`, `bot/${bot}/logs`, 'public_broadcast']);
        await sleep(this.#random.integer(0, 1000));
      } finally {
        // Some disconnect, of others only the connection ends.
        if (this.#random.chance(0.5)) client.client.stream.destroy();
        await client.end().catch(() => undefined);
      }
      this.#report.count('visits to the broker');
    } catch {
      this.#report.count('visits to the broker that failed');
    }
  }

  async #read(): Promise<void> {
    const { api } = this.#installation;
    if (this.#random.chance(0.4)) await api.send(this.#random, 'GET', this.#random.pick(pages));
    else {
      const path = `/api/${this.#random.pick([...collections, 'device/sync', 'usage'])}`;
      const open = this.#sessions.filter(({ isOver }) => isOver === false);
      const { token } = open.length > 0 ? this.#random.pick(open.slice(-3)) : this.#account;
      await api.sendValid(this.#random, 'GET', path, { token });
    }
  }

  /** Compares sessions, accounts and mails, when all jobs are done. */
  async check(): Promise<void> {
    await this.#checkSessions();
    for (const email of this.#signUps)
      await this.#checkSignUp(email).catch((error) => this.#report.violation(`the account of ${email}: ${error}`));
    const resets = (await this.#installation.mailsTo(this.#account.email)).filter((text) =>
      text.includes('password_reset'),
    );
    if (resets.length < this.#resets)
      this.#report.violation(`${this.#account.email}: ${this.#resets} resets, but ${resets.length} mails`);
    this.#report.count('mails compared', this.#resets);
  }

  /** Each server must accept the sessions that were opened, and none that were ended. */
  async #checkSessions(): Promise<void> {
    for (const session of this.#sessions) await this.#compareSession(session);
  }

  async #compareSession({ token, isOver }: VisitorSession): Promise<void> {
    if (isOver === null) return;
    for (const server of this.#installation.api.servers) {
      const ask = () => server.get('/api/device', token).catch(() => null);
      let response = await ask();
      // Other processes learn of the end of a session moments later, a second at the most.
      if (isOver && response?.status === 200) {
        await sleep(1000);
        response = await ask();
      }
      if (!response || response.status === 503) continue;
      this.#report.count('sessions compared');
      if (response.status !== (isOver ? 401 : 200))
        this.#report.violation(
          `${server.base}: a session that was ${isOver ? 'ended' : 'opened'} has the status ${response.status}`,
        );
    }
  }

  async #checkSignUp(email: string): Promise<void> {
    const { api, mailsTo } = this.#installation;
    const [mail] = await mailsTo(email);
    const path = mail === undefined ? null : linkPath(mail);
    if (path === null) return this.#report.violation(`${email} signed up, and got no mail with a link`);
    await api.sendUntilAcknowledged(this.#random, 'GET', path);
    await api.sendUntilAcknowledged(this.#random, 'POST', '/api/tokens', { body: { user: { email, password } } });
    this.#report.count('mails compared');
    this.#report.count('accounts compared');
  }
}
