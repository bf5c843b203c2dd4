import { setTimeout as sleep } from 'node:timers/promises';
import { createAccount, type SoakAccount } from './account.ts';
import { FaultDriver } from './fault-driver.ts';
import { Gardener } from './gardener.ts';
import { Importer } from './importer.ts';
import type { Installation } from './installation.ts';
import { checkFiles, finishJobs, stopAll, untilAnnounced } from './leftovers.ts';
import { Listener } from './listener.ts';
import { PausableLoad } from './pausable-load.ts';
import type { Random } from './random.ts';
import { Robot } from './robot.ts';
import type { SoakReport } from './soak-report.ts';
import { Visitor } from './visitor.ts';

/** Duration of a round with faults, in ms. After each, the server's records are compared with the acknowledged ones. */
const roundTime = 25_000;
/** Maximum time until all logs are stored and all announcements received after a round, in ms. */
const settleTimeout = 90_000;

const gardens = 5;
const gardenersPerGarden = 2;
const visitors = 3;

/** One installation under load and faults, and everything that it acknowledged. */
export class Soak {
  readonly #installation: Installation;
  readonly #report: SoakReport;
  readonly #random: Random;
  readonly #load = new PausableLoad();
  readonly #accounts: SoakAccount[] = [];
  readonly #gardeners: Gardener[] = [];
  readonly #listeners: Listener[] = [];
  readonly #robots: Robot[] = [];
  readonly #visitors: Visitor[] = [];

  /** Records an error that no outage explains. */
  readonly #onError = (error: unknown): void =>
    this.#report.violation(`unexpected: ${error instanceof Error ? error.stack : error}`);

  constructor(installation: Installation, report: SoakReport, random: Random) {
    this.#installation = installation;
    this.#report = report;
    this.#random = random;
  }

  /** Works for a time in ms, or until each fault was caused and `enough` ms passed, and then compares everything. */
  async run(duration: number, enough: number): Promise<void> {
    for (let i = 0; i < gardens; i++) await this.#addGarden();
    for (let i = 0; i < visitors; i++) this.#visitors.push(this.#actor(Visitor, await this.#account()));
    const importer = this.#actor(Importer, await this.#account());
    await importer.start();
    const driver = this.#actor(FaultDriver, await this.#account());
    const listening = this.#listeners.map((listener) => listener.run());

    const working = [
      ...this.#gardeners.map((gardener) => this.#repeat(gardener, 150)),
      ...this.#robots.map((robot) => this.#repeat(robot, 600)),
      ...this.#visitors.map((visitor) => this.#repeat(visitor, 400)),
      this.#repeat(importer, 1000),
    ];
    const start = performance.now();
    while (performance.now() < start + (driver.hasCausedAll ? enough : duration)) {
      await driver.run(Math.min(start + duration, performance.now() + roundTime));
      await this.#load.pause();
      await this.#compare();
      await importer.check().catch(this.#onError);
      this.#report.say('compared');
      this.#load.resume();
    }
    this.#load.end();
    await Promise.all(working);

    await finishJobs(this.#installation, this.#report);
    await this.#compare();
    await Promise.all(this.#listeners.map((listener) => listener.end()));
    await Promise.all([...listening, ...this.#robots.map((robot) => robot.end())]);
    for (const robot of this.#robots) await robot.checkPhotos().catch(this.#onError);
    for (const visitor of this.#visitors) await visitor.check().catch(this.#onError);
    await importer.check().catch(this.#onError);
    await importer.checkMails();
    await stopAll(this.#installation, this.#report);
    await checkFiles(this.#installation, this.#report);
  }

  #account(): Promise<SoakAccount> {
    return createAccount(this.#installation, this.#random);
  }

  /** Creates an actor with random numbers of its own. */
  #actor<T>(
    Actor: new (installation: Installation, account: SoakAccount, random: Random, report: SoakReport) => T,
    account: SoakAccount,
  ): T {
    return new Actor(this.#installation, account, this.#random.fork(), this.#report);
  }

  async #addGarden(): Promise<void> {
    const account = await this.#account();
    this.#accounts.push(account);
    for (let i = 0; i < gardenersPerGarden; i++) this.#gardeners.push(this.#actor(Gardener, account));
    this.#listeners.push(this.#actor(Listener, account));
    this.#robots.push(this.#actor(Robot, account));
  }

  /** Has an actor work, with pauses of up to `maxPause` ms. */
  #repeat(actor: { work(): Promise<void> }, maxPause: number): Promise<void> {
    const random = this.#random.fork();
    return this.#load.repeat(
      () => random.integer(0, maxPause),
      () => actor.work(),
      this.#onError,
    );
  }

  /** Compares the server's records and announcements with the acknowledged ones, while no request is in progress. */
  async #compare(): Promise<void> {
    await untilAnnounced(this.#installation, this.#report);
    const received = this.#listeners.map(
      (listener, i) => async () =>
        listener.missing()?.map((label) => `the announcement of request ${label} of ${this.#accounts[i]?.bot}`) ?? [
          `the connection of the listener of ${this.#accounts[i]?.bot}`,
        ],
    );
    const stored = this.#robots.map(
      (robot, i) => async () => (await robot.missing()).map((what) => `"${what}" of ${this.#accounts[i]?.bot}`),
    );
    await Promise.all([...received, ...stored].map((missing) => this.#untilNothing(missing)));
    for (const listener of this.#listeners) await listener.check().catch(this.#onError);
    for (const gardener of this.#gardeners) await gardener.check().catch(this.#onError);
    for (const robot of this.#robots) await robot.clearLogs().catch(this.#onError);
    for (const { requests } of this.#accounts) requests.clear();
  }

  async #untilNothing(missing: () => Promise<readonly string[]>): Promise<void> {
    for (const end = performance.now() + settleTimeout; ; await sleep(200)) {
      const names = await missing();
      if (names.length === 0) return;
      if (performance.now() < end) continue;
      for (const name of names) this.#report.violation(`missing: ${name}`);
      return;
    }
  }
}
