import { refused } from '../core/errors.ts';
import type { QuotaLimits, QuotaName, QuotaOf, QuotaUsage } from '../core/quotas.ts';
import { quotaNames, quotaRefusal, quotas } from '../core/quotas.ts';
import type { DeviceScope } from '../db/scope.ts';
import { ownLimit } from './account-quotas.ts';

/** Counts the stored records of a quota. */
export type QuotaMeters = Readonly<Record<QuotaOf<'stored' | 'trimmed'>, (scope: DeviceScope) => Promise<number>>>;

export interface QuotaOptions {
  readonly limits: QuotaLimits;
  readonly meters: QuotaMeters;
  /** Whether the scope's device belongs to a demo account. */
  isDemo(scope: DeviceScope): Promise<boolean>;
  /** Returns the scope of the acting user's own garden; the garden's own if no user acts. */
  readonly accountOf: (scope: DeviceScope) => Promise<DeviceScope>;
}

const hour = 3_600_000;

/** The limits on each garden's records, and on each user's actions in all gardens together, as declared. [ADR 35] */
export class Quotas {
  readonly #options: QuotaOptions;
  readonly #inFlight = new Map<string, number>();
  #hour = -1;
  readonly #inHour = new Map<string, number>();

  constructor(options: QuotaOptions) {
    this.#options = options;
  }

  /** Returns the account's own limit, or the limit of all accounts or demo accounts. */
  async limit(garden: DeviceScope, name: QuotaName): Promise<number> {
    const scope = await this.#counted(garden, name);
    const own = await ownLimit(scope, name);
    if (own !== undefined) return own;
    const general = this.#options.limits[name];
    const { demoLimit } = quotas[name];
    return demoLimit < general && (await this.#options.isDemo(scope)) ? demoLimit : general;
  }

  async used(scope: DeviceScope, name: QuotaName): Promise<number> {
    if (isStored(name)) return this.#options.meters[name](scope);
    const counts = quotas[name].kind === 'hourly' ? this.#countsOfHour(scope) : this.#inFlight;
    return counts.get(keyOf(await this.#counted(scope, name), name)) ?? 0;
  }

  /** Returns usage and limit of every quota. */
  async usage(scope: DeviceScope): Promise<Record<QuotaName, QuotaUsage>> {
    const usages: [QuotaName, QuotaUsage][] = [];
    for (const name of quotaNames)
      usages.push([name, { used: await this.used(scope, name), limit: await this.limit(scope, name) }]);
    return Object.fromEntries(usages) as Record<QuotaName, QuotaUsage>;
  }

  /** Throws 422 if there is no room for one more. */
  async assertRoom(scope: DeviceScope, name: QuotaOf<'stored'>): Promise<void> {
    const limit = await this.limit(scope, name);
    if ((await this.used(scope, name)) >= limit) throw refused(quotaRefusal(name, limit));
  }

  /** Runs work that is limited at a time. Throws 422 without running it. */
  async hold<T>(scope: DeviceScope, name: QuotaOf<'in flight'>, work: () => Promise<T>): Promise<T> {
    const limit = await this.limit(scope, name);
    const key = keyOf(await this.#counted(scope, name), name);
    const running = this.#inFlight.get(key) ?? 0;
    if (running >= limit) throw refused(quotaRefusal(name, limit));
    this.#inFlight.set(key, running + 1);
    try {
      return await work();
    } finally {
      const left = (this.#inFlight.get(key) ?? 1) - 1;
      if (left > 0) this.#inFlight.set(key, left);
      else this.#inFlight.delete(key);
    }
  }

  /** Counts one of an hour. Throws 422 without counting it. */
  async consume(scope: DeviceScope, name: QuotaOf<'hourly'>): Promise<void> {
    const limit = await this.limit(scope, name);
    const key = keyOf(await this.#counted(scope, name), name);
    const counts = this.#countsOfHour(scope);
    const count = counts.get(key) ?? 0;
    if (count >= limit) throw refused(quotaRefusal(name, limit));
    counts.set(key, count + 1);
  }

  /** Returns the scope of the garden for which a quota is counted. */
  #counted(scope: DeviceScope, name: QuotaName): DeviceScope | Promise<DeviceScope> {
    return quotas[name].per === 'user' ? this.#options.accountOf(scope) : scope;
  }

  #countsOfHour({ clock }: DeviceScope): Map<string, number> {
    const current = Math.floor(clock.now() / hour);
    if (current !== this.#hour) this.#inHour.clear();
    this.#hour = current;
    return this.#inHour;
  }
}

const keyOf = ({ deviceId }: DeviceScope, name: QuotaName): string => `${name} ${deviceId}`;

const isStored = (name: QuotaName): name is QuotaOf<'stored' | 'trimmed'> =>
  quotas[name].kind === 'stored' || quotas[name].kind === 'trimmed';
