import Type from 'typebox';
import { column } from '../db/columns.ts';
import { UniqueViolation } from '../db/errors.ts';
import type { ServerScope } from '../db/scope.ts';
import { table } from '../db/table.ts';
import type { Call, PublicRoute } from '../engine/route.ts';

/** Texts by name that every client may read; operators may add some. */
export const globalConfig = table(
  'global_config',
  { key: column.text(), value: column.text() },
  { reach: 'server', unique: [['key']] },
);

/** Texts that the operator may change while the server runs; '' stands for a setting that is not set. */
export interface ConfigDefaults {
  readonly TOS_URL: string;
  readonly PRIV_URL: string;
}

/** Texts that say how the server runs. */
export interface ConfigFacts {
  readonly NODE_ENV: string;
  readonly LONG_REVISION: string;
  readonly SHORT_REVISION: string;
  readonly MQTT_WS: string;
}

/** The oldest robot version that is served unless the operator says otherwise. [reference] */
export const defaultMinimumVersion = '14.6.0';

/** How long the values in memory count before the next request has them read again, in ms. */
const fresh = 10_000;

/** The global config in memory: the version of each robot's request is compared with it. */
export class GlobalConfig {
  #values: Readonly<Record<string, string>> = {};
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | null = null;
  readonly #scope: () => ServerScope;

  constructor(scope: () => ServerScope) {
    this.#scope = scope;
  }

  /** Makes the texts that are missing. One that no setting gave before is missing, too, once the setting is set. */
  async ensureDefaults(defaults: ConfigDefaults): Promise<void> {
    const scope = this.#scope();
    const stored = await this.read(scope);
    const initial = {
      FBOS_END_OF_LIFE_VERSION: defaultMinimumVersion,
      MINIMUM_FBOS_VERSION: defaultMinimumVersion,
      ...defaults,
    };
    for (const [key, value] of Object.entries(initial)) {
      const present = stored[key] ?? (await made(scope, key, value));
      if (present === '' && key in defaults && value !== '')
        await scope.update(globalConfig, { value }, { where: { key, value: '' } });
    }
    await this.read(scope);
  }

  /** Writes what changed of how the server runs. Only for a program that is going to serve: a command may run with other settings. */
  async writeFacts(facts: ConfigFacts): Promise<void> {
    const scope = this.#scope();
    const stored = await this.read(scope);
    for (const [key, value] of Object.entries(facts)) {
      const present = stored[key] ?? (await made(scope, key, value));
      if (present !== value) await scope.update(globalConfig, { value }, { where: { key } });
    }
    await this.read(scope);
  }

  /** All texts, as they are now. */
  async read(scope: ServerScope): Promise<Readonly<Record<string, string>>> {
    const rows = await scope.rows(globalConfig);
    this.#values = Object.fromEntries(rows.map(({ key, value }) => [key, value]));
    this.#readAt = scope.clock.now();
    return this.#values;
  }

  /** The oldest robot version that is served. At most ten seconds behind the table. */
  minimumVersion(): string {
    const scope = this.#scope();
    if (scope.clock.now() - this.#readAt > fresh && !this.#reading)
      this.#reading = this.read(scope).then(
        () => {
          this.#reading = null;
        },
        () => {
          this.#reading = null;
        },
      );
    return this.#values.MINIMUM_FBOS_VERSION ?? defaultMinimumVersion;
  }
}

/** Makes a text and gives what is stored then: another process that starts at the same moment may be faster. */
async function made(scope: ServerScope, key: string, value: string): Promise<string> {
  try {
    return (await scope.insert(globalConfig, { key, value })).value;
  } catch (error) {
    const kept = error instanceof UniqueViolation ? await scope.first(globalConfig, { where: { key } }) : undefined;
    if (!kept) throw error;
    return kept.value;
  }
}

/** What clients are shown. Where no setting says it, the broker's address is `webSocketAddress`, that of the server as the caller reaches it: visitors without a token have no other way to know it. [client web app] */
export async function publicConfig(
  config: GlobalConfig,
  scope: ServerScope,
  webSocketAddress: string,
): Promise<Readonly<Record<string, string>>> {
  const values = await config.read(scope);
  return values.MQTT_WS === '' ? { ...values, MQTT_WS: webSocketAddress } : values;
}

/** `GET /api/global_config`. */
export const globalConfigRoute = (config: GlobalConfig, webSocketAddress: (call: Call) => string): PublicRoute => ({
  method: 'GET',
  path: '/api/global_config',
  tag: 'global config',
  access: 'public',
  summary: 'Texts that clients need before they sign in',
  replies: { 200: Type.Record(Type.String(), Type.String()) },
  handle: (scope, call) => publicConfig(config, scope, webSocketAddress(call)),
});
