import type { JsonObject } from '../support/json.ts';
import { isObject, numberAt } from '../support/json.ts';
import type { LabeledRequest, SoakAccount } from './account.ts';
import type { Api, Outcome } from './api.ts';
import { GardenModel, type ModelRecord } from './garden-model.ts';
import type { Installation } from './installation.ts';
import type { Random } from './random.ts';
import { collections, recordKinds } from './record-kinds.ts';
import type { SoakReport } from './soak-report.ts';

/** Records of one writer, beyond which it creates no more. */
const maxRecords = 30;

let gardeners = 0;

/** A client that writes records, one request after the other, and knows the required state of the server. */
export class Gardener {
  readonly account: SoakAccount;
  readonly model: GardenModel;
  readonly #api: Api;
  readonly #random: Random;
  readonly #report: SoakReport;
  readonly #number = ++gardeners;
  #requests = 0;

  constructor({ api }: Installation, account: SoakAccount, random: Random, report: SoakReport) {
    this.account = account;
    this.#api = api;
    this.#random = random;
    this.#report = report;
    this.model = new GardenModel(`soak ${this.#number}.`);
  }

  /** Sends one random request. */
  async work(): Promise<void> {
    const existing = this.model.existing();
    const dice = this.#random.next();
    if (existing.length < 3 || (dice < 0.3 && existing.length < maxRecords)) return this.#create();
    const record = this.#random.pick(existing);
    if (dice < 0.7) return this.#change(record);
    if (dice < 0.8) return this.#read(record);
    if (dice < 0.88) return this.#list();
    const points = existing.filter(({ kind }) => kind.collection === 'points');
    if (record.kind.collection === 'points') return this.#delete(this.#random.shuffled(points).slice(0, 3));
    return this.#delete([record]);
  }

  async #write(method: string, path: string, body?: JsonObject): Promise<Outcome> {
    const label = `${this.#number}-${++this.#requests}`;
    const request: LabeledRequest = {
      sentAt: performance.now(),
      acknowledgedAt: null,
    };
    this.account.requests.set(label, request);
    const outcome = await this.#api.sendValid(this.#random, method, path, {
      token: this.account.token,
      headers: { 'x-farmbot-rpc-id': label },
      ...(body && { body }),
    });
    if (outcome.kind === 'acknowledged') request.acknowledgedAt = performance.now();
    return outcome;
  }

  async #create(): Promise<void> {
    const kind = this.#random.pick(recordKinds);
    const n = ++this.#requests;
    const name = `${this.model.prefix}${n}`;
    const values = kind.create(name, n);
    const outcome = await this.#write('POST', `/api/${kind.collection}`, values);
    if (outcome.kind === 'acknowledged') this.model.created(kind, name, values, numberAt(outcome.response.json, 'id'));
    else if (outcome.kind === 'unknown') this.model.created(kind, name, values, null);
  }

  async #change(record: ModelRecord): Promise<void> {
    const values = record.kind.change(++this.#requests);
    const outcome = await this.#write('PATCH', `/api/${record.kind.collection}/${record.id}`, values);
    if (outcome.kind === 'acknowledged' || outcome.kind === 'unknown')
      this.model.changed(record, values, outcome.kind === 'acknowledged');
  }

  async #delete(records: readonly ModelRecord[]): Promise<void> {
    const collection = records[0]?.kind.collection;
    const outcome = await this.#write('DELETE', `/api/${collection}/${records.map(({ id }) => id).join()}`);
    if (outcome.kind === 'acknowledged' || outcome.kind === 'unknown')
      this.model.deleted(records, outcome.kind === 'acknowledged');
  }

  async #read(record: ModelRecord): Promise<void> {
    const path = `/api/${record.kind.collection}/${record.id}`;
    const outcome = await this.#api.sendValid(this.#random, 'GET', path, { token: this.account.token });
    if (outcome.kind !== 'acknowledged') return;
    const { json, text } = outcome.response;
    if (!isObject(json) || !this.model.isPossible(record, json))
      this.#report.violation(`GET ${path}: expected ${JSON.stringify(record.states)}, read ${text}`);
  }

  async #list(): Promise<void> {
    const collection = this.#random.pick(collections);
    const outcome = await this.#api.sendValid(this.#random, 'GET', `/api/${collection}`, { token: this.account.token });
    if (outcome.kind !== 'acknowledged') return;
    const { json } = outcome.response;
    for (const problem of this.model.compare(collection, Array.isArray(json) ? json.filter(isObject) : []))
      this.#report.violation(`GET /api/${collection} of ${this.account.bot}: ${problem}`);
  }

  /** Compares the server's records with the model, while no request is in progress, and continues with that. */
  async check(): Promise<void> {
    for (const collection of collections) {
      const rows = await this.#api.list(this.#random, collection, this.account.token);
      for (const problem of this.model.compare(collection, rows))
        this.#report.violation(`${this.account.bot}: ${problem}`);
      this.model.adopt(collection, rows);
      this.#report.count('records compared', rows.length);
    }
  }
}
