import { networkInterfaces } from 'node:os';
import type { TokenAddresses } from '../accounts/token-signer.ts';
import { isUnspecified } from '../core/ip-addresses.ts';
import type { Origin } from '../engine/route.ts';
import { hostParts } from './host.ts';

/** The settings that determine the URLs of the server. */
export interface UrlSettings {
  readonly HOST: string;
  readonly PUBLIC_URL: string | null;
  readonly IN_CONTAINER: boolean;
  readonly MQTT_HOST: string | null;
  readonly MQTT_WS_URL: string | null;
}

/** The first IPv4 address of the machine that is not loopback, or null. */
export function lanAddress(): string | null {
  for (const addresses of Object.values(networkInterfaces()))
    for (const { family, internal, address } of addresses ?? []) if (family === 'IPv4' && !internal) return address;
  return null;
}

/** The base of links in mail: `PUBLIC_URL`, else the address of this machine. Never the `Host` of a request, which may be forged. */
export function publicBaseUrl(settings: UrlSettings, port: number): string {
  if (settings.PUBLIC_URL) return settings.PUBLIC_URL;
  // The ports of a container are open on the machine that runs it.
  if (settings.IN_CONTAINER) return `http://localhost:${port}`;
  const host = isUnspecified(settings.HOST) ? (lanAddress() ?? '127.0.0.1') : settings.HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The URLs in a token, built from the host that the client used. [rule H13] */
export function tokenUrls({ host, isSecure }: Origin, settings: UrlSettings): TokenAddresses {
  const { name, port } = hostParts(host, isSecure);
  const withPort = `${name.includes(':') ? `[${name}]` : name}:${port}`;
  return {
    iss: `//${withPort}`,
    mqtt: settings.MQTT_HOST ?? name,
    mqttWs: settings.MQTT_WS_URL ?? `${isSecure ? 'wss' : 'ws'}://${withPort}/ws`,
  };
}

/** The addresses of this server. */
export class ServerUrls {
  readonly #settings: UrlSettings;
  /** The port that the HTTP server listens on: with `PORT=0` another than the setting, once it listens. */
  port: number;

  constructor(settings: UrlSettings & { readonly PORT: number }) {
    this.#settings = settings;
    this.port = settings.PORT;
  }

  /** The address for mails, `http://192.168.1.20:3000`; see {@link publicBaseUrl}. */
  base(): string {
    return publicBaseUrl(this.#settings, this.port);
  }

  /** The same for robots. Null in a container without `PUBLIC_URL`: it cannot know the address of its machine. */
  forRobots(): string | null {
    return this.#settings.IN_CONTAINER && !this.#settings.PUBLIC_URL ? null : this.base();
  }

  /** The address of the server for programs of this process, `http://127.0.0.1:3000`. */
  local(): string {
    const { HOST } = this.#settings;
    const host = isUnspecified(HOST) ? '127.0.0.1' : HOST;
    return `http://${host.includes(':') ? `[${host}]` : host}:${this.port}`;
  }

  /** The addresses in tokens of robots that the server runs. `brokerUrl`: of an external broker. */
  forHostedRobots(brokerUrl: string | null): TokenAddresses {
    const { MQTT_HOST, MQTT_WS_URL } = this.#settings;
    const server = new URL(this.local());
    const own = { iss: `//${server.host}`, mqtt: server.hostname, mqttWs: `ws://${server.host}/ws` };
    if (brokerUrl === null) return own;
    return { ...own, mqtt: MQTT_HOST ?? new URL(brokerUrl).hostname, mqttWs: MQTT_WS_URL ?? own.mqttWs };
  }

  /** The addresses in a token, as the client reached this server. */
  forToken(call: Origin): TokenAddresses {
    return tokenUrls(call, this.#settings);
  }
}
