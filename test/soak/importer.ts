import type { JsonObject } from '../support/json.ts';
import { isObject } from '../support/json.ts';
import { zipContent } from '../support/zip-content.ts';
import { password, type SoakAccount } from './account.ts';
import { objectsOf } from './api.ts';
import type { Installation } from './installation.ts';
import type { Random } from './random.ts';
import type { SoakReport } from './soak-report.ts';

/** Tools of each imported garden. */
const toolCount = 8;

/** Replaces an account by imports, and exports it: it must always be one of the imported gardens, and complete. */
export class Importer {
  readonly #account: SoakAccount;
  readonly #installation: Installation;
  readonly #random: Random;
  readonly #report: SoakReport;
  #document: JsonObject = {};
  /** The garden that was imported last; several if the outcome of an import is unknown. */
  #generations: readonly number[] = [0];
  #imports = 0;
  #mailedExports = 0;

  constructor(installation: Installation, account: SoakAccount, random: Random, report: SoakReport) {
    this.#account = account;
    this.#installation = installation;
    this.#random = random;
    this.#report = report;
  }

  /** Imports the first garden, while nothing fails. */
  async start(): Promise<void> {
    this.#document = await this.#export(true);
    await this.work();
  }

  async work(): Promise<void> {
    if (this.#generations.length > 1) return;
    if (this.#imports === 0 || this.#random.chance(0.5)) return this.#import();
    if (this.#installation.mailsExports && this.#random.chance(0.5)) return this.#mailExport();
    const document = await this.#export(false);
    if ('tools' in document) this.#compare('the export', objectsOf(document.tools ?? null));
  }

  async #import(): Promise<void> {
    const { api } = this.#installation;
    const generation = ++this.#imports;
    const tools = Array.from({ length: toolCount }, (_, i) => ({
      id: i + 1,
      name: `Tool ${i} of ${generation}`,
      flow_rate_ml_per_s: generation,
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
    }));
    const outcome = await api.sendValid(this.#random, 'POST', '/api/import?mode=replace', {
      token: this.#account.token,
      headers: { 'x-account-password': password },
      body: { ...this.#document, tools },
    });
    if (outcome.kind === 'acknowledged') this.#generations = [generation];
    else if (outcome.kind === 'unknown') this.#generations = [...this.#generations, generation];
  }

  async #mailExport(): Promise<void> {
    const { api } = this.#installation;
    const outcome = await api.sendValid(this.#random, 'POST', '/api/export_data', { token: this.#account.token });
    if (outcome.kind === 'acknowledged') this.#mailedExports++;
  }

  /** Returns the exported document; an empty one if the server is unavailable. */
  async #export(isRepeated: boolean): Promise<JsonObject> {
    const { api } = this.#installation;
    const { token } = this.#account;
    const path = '/api/export_data?photos=true';
    const outcome = isRepeated
      ? {
          kind: 'acknowledged' as const,
          response: await api.sendUntilAcknowledged(this.#random, 'POST', path, { token }),
        }
      : await api.sendValid(this.#random, 'POST', path, { token });
    if (outcome.kind !== 'acknowledged') return {};
    const document: unknown = (await zipContent(outcome.response.bytes)).get('export.json')?.toString('utf8');
    const json = typeof document === 'string' ? JSON.parse(document) : null;
    if (!isObject(json)) throw new Error('the export has no document');
    return json;
  }

  #compare(where: string, tools: readonly JsonObject[]): void {
    const found = tools.map(({ name, flow_rate_ml_per_s }) => `${name}, ${flow_rate_ml_per_s}`).sort();
    const possible = this.#generations.map((generation) =>
      Array.from(
        { length: generation === 0 ? 0 : toolCount },
        (_, i) => `Tool ${i} of ${generation}, ${generation}`,
      ).sort(),
    );
    const match = possible.findIndex((each) => each.join('\n') === found.join('\n'));
    const generation = this.#generations[match];
    if (generation === undefined)
      this.#report.violation(
        `${this.#account.bot}: ${where} has [${found}] instead of import ${this.#generations.join(' or ')}`,
      );
    else if (this.#generations.length === 1) this.#report.count('imported gardens compared');
  }

  /** Compares the account with the last import, while no request is in progress, and continues with the server's records. */
  async check(): Promise<void> {
    const tools = await this.#installation.api.list(this.#random, 'tools', this.#account.token);
    this.#compare('the account', tools);
    const generation = this.#generations.find((each) => each === tools[0]?.flow_rate_ml_per_s);
    this.#generations = [generation ?? 0];
  }

  /** Compares the mails, when all jobs are done. */
  async checkMails(): Promise<void> {
    const mails = await this.#installation.mailsTo(this.#account.email);
    // The first one has the link of the sign-up.
    if (mails.length - 1 < this.#mailedExports)
      this.#report.violation(`${this.#account.email}: ${this.#mailedExports} exports, but ${mails.length - 1} mails`);
    this.#report.count('mails compared', this.#mailedExports);
  }
}
