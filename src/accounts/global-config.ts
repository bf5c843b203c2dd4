import { column } from '../db/columns.ts';
import { UniqueViolation } from '../db/errors.ts';
import type { ServerScope } from '../db/scope.ts';
import { table } from '../db/table.ts';
import { Type } from '../engine/json-schema.ts';
import type { Call, PublicRoute } from '../engine/route.ts';

/** Strings by key, public to all clients; operators may add more. */
export const globalConfig = table(
  'global_config',
  { key: column.text(), value: column.text() },
  { reach: 'server', unique: [['key']] },
);

/** Values that operators may change while the server runs; '' for a setting that is not set. */
export interface ConfigDefaults {
  readonly TOS_URL: string;
  readonly PRIV_URL: string;
}

/** Values that describe the running server. */
export interface ServerValues {
  readonly NODE_ENV: string;
  readonly LONG_REVISION: string;
  readonly SHORT_REVISION: string;
  readonly MQTT_WS: string;
}

/** The oldest robot version that is served, unless the operator changes it. [rule A26] */
const defaultMinimumVersion = '14.6.0';

/** Time after which a request triggers a refresh of the cached values, in ms. */
const maxAge = 10_000;

/** Cache of the global config, whose minimum version every request of a robot is compared with. */
export class GlobalConfig {
  #values: Readonly<Record<string, string>> = {};
  #readAt = Number.NEGATIVE_INFINITY;
  #refresh: Promise<void> | null = null;
  readonly #scope: () => ServerScope;

  constructor(scope: () => ServerScope) {
    this.#scope = scope;
  }

  /** Whether a server has written the config, which it does after it stored its key. */
  async exists(): Promise<boolean> {
    return (await this.#scope().count(globalConfig)) > 0;
  }

  /** Inserts missing values, and replaces empty ones whose setting is set now. */
  async ensureDefaults(defaults: ConfigDefaults): Promise<void> {
    const scope = this.#scope();
    const stored = await this.read(scope);
    const initial = {
      FBOS_END_OF_LIFE_VERSION: defaultMinimumVersion,
      MINIMUM_FBOS_VERSION: defaultMinimumVersion,
      ...defaults,
    };
    for (const [key, value] of Object.entries(initial)) {
      const present = stored[key] ?? (await insertIfMissing(scope, key, value));
      if (present === '' && key in defaults && value !== '')
        await scope.update(globalConfig, { value }, { where: { key, value: '' } });
    }
    await this.read(scope);
  }

  /** Writes the values that describe the running server. Only for `serve`: a command may run with other settings. */
  async writeServerValues(values: ServerValues): Promise<void> {
    const scope = this.#scope();
    const stored = await this.read(scope);
    for (const [key, value] of Object.entries(values)) {
      const present = stored[key] ?? (await insertIfMissing(scope, key, value));
      if (present !== value) await scope.update(globalConfig, { value }, { where: { key } });
    }
    await this.read(scope);
  }

  /** Reads all values and refreshes the cache. */
  async read(scope: ServerScope): Promise<Readonly<Record<string, string>>> {
    const rows = await scope.rows(globalConfig);
    this.#values = Object.fromEntries(rows.map(({ key, value }) => [key, value]));
    this.#readAt = scope.clock.now();
    return this.#values;
  }

  /** Returns the oldest robot version that is served, at most ten seconds behind the table. */
  minimumVersion(): string {
    const scope = this.#scope();
    if (scope.clock.now() - this.#readAt > maxAge && !this.#refresh)
      this.#refresh = this.read(scope).then(
        () => {
          this.#refresh = null;
        },
        () => {
          this.#refresh = null;
        },
      );
    return this.#values.MINIMUM_FBOS_VERSION ?? defaultMinimumVersion;
  }
}

/** Inserts a value and returns the stored one, which another process starting at the same time may have inserted. */
async function insertIfMissing(scope: ServerScope, key: string, value: string): Promise<string> {
  try {
    return (await scope.insert(globalConfig, { key, value })).value;
  } catch (error) {
    const kept = error instanceof UniqueViolation ? await scope.first(globalConfig, { where: { key } }) : undefined;
    if (!kept) throw error;
    return kept.value;
  }
}

/** Returns the values for clients. Without a setting the broker's address is `webSocketAddress`, derived from the request. [rule A27] */
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
  tag: 'Server',
  access: 'public',
  summary: 'Configuration that clients need before they sign in',
  description:
    'Returns the settings of the server that clients read before they sign in, as strings by name: the WebSocket address of the message broker (`MQTT_WS`), supported versions of robots, and what the operator added.',
  replies: { 200: Type.Record(Type.String()) },
  handle: (scope, call) => publicConfig(config, scope, webSocketAddress(call)),
});
