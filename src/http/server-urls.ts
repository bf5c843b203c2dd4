import { networkInterfaces } from 'node:os';
import type { TokenAddresses } from '../accounts/token-signer.ts';
import type { Call } from '../engine/route.ts';
import { hostParts } from './host.ts';

/** The settings that say where the server is found. */
export interface AddressSettings {
  readonly HOST: string;
  readonly PUBLIC_URL: string | null;
  readonly MQTT_HOST: string | null;
  readonly MQTT_WS_URL: string | null;
}

const isEverywhere = (host: string): boolean => host === '0.0.0.0' || host === '::';

/** The machine's first IPv4 address in its network; null when there is none. */
export function lanAddress(): string | null {
  for (const addresses of Object.values(networkInterfaces()))
    for (const { family, internal, address } of addresses ?? []) if (family === 'IPv4' && !internal) return address;
  return null;
}

/** What links in mail begin with, and what one types into a robot: `PUBLIC_URL`, else where this machine listens. Never a request's `Host`: a forged one would lead readers of mail astray. */
export function publicBaseUrl(settings: AddressSettings, port: number): string {
  if (settings.PUBLIC_URL) return settings.PUBLIC_URL;
  const host = isEverywhere(settings.HOST) ? (lanAddress() ?? '127.0.0.1') : settings.HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The addresses in a token, as the client that asked reached this server. */
export function tokenUrls(
  { host, isSecure }: Pick<Call, 'host' | 'isSecure'>,
  settings: AddressSettings,
): TokenAddresses {
  const { name, port } = hostParts(host, isSecure);
  const withPort = `${name.includes(':') ? `[${name}]` : name}:${port}`;
  return {
    iss: `//${withPort}`,
    mqtt: settings.MQTT_HOST ?? name,
    mqttWs: settings.MQTT_WS_URL ?? `${isSecure ? 'wss' : 'ws'}://${withPort}/ws`,
  };
}
