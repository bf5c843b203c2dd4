import { systemClock } from '../core/clock.ts';
import { isLoopback } from '../core/ip-addresses.ts';
import { hookProblem } from '../live/rabbitmq/rabbitmq-address.ts';
import { checkCertificate } from '../mqtt/certificate.ts';
import { servingProcess } from '../settings/data-folder-lock.ts';
import type { Settings } from '../settings/settings.ts';
import { robotPort } from '../settings/settings.ts';
import type { CheckResult } from './check-result.ts';
import { aboutSetting, check, notes } from './check-result.ts';
import { brokerListener, checkPort } from './port-check.ts';

/** Minimum length, in characters, below which the broker rejects `admin`. [rule D32] */
const minAdminPasswordLength = 5;

/** Checks the password of the broker's administrator. */
export function checkBrokerAdmin({ BROKER_ADMIN_PASSWORD }: Settings): CheckResult[] {
  if (BROKER_ADMIN_PASSWORD === null || BROKER_ADMIN_PASSWORD.length >= minAdminPasswordLength) return [];
  const message = `BROKER_ADMIN_PASSWORD has fewer than ${minAdminPasswordLength} characters, so the broker rejects "admin".`;
  return [{ name: 'broker admin', ok: false, message }];
}

/** Returns the reason why robots cannot reach the built-in broker, or null: if the URL for browsers is encrypted, they connect to the TLS port. [rule D33] */
export function tlsWarning(settings: Settings): string | null {
  const { BROKER_URL, HOST, MQTT_PORT, MQTTS_PORT, MQTT_WS_URL, TLS_CERT, TLS_KEY, TLS_HOST } = settings;
  if (BROKER_URL !== null || MQTT_PORT === 0 || robotPort(settings).setting === 'MQTT_PORT') return null;
  const cause = `Robots connect to port 8883 with TLS, because ${MQTT_WS_URL ? 'MQTT_WS_URL' : 'PUBLIC_URL'} is encrypted`;
  if (TLS_CERT === null || TLS_KEY === null)
    return `${cause}, but the broker has no certificate: set TLS_CERT and TLS_KEY.`;
  if (MQTTS_PORT === 0) return `${cause}, but MQTTS_PORT is 0: set it to 8883.`;
  const host = TLS_HOST ?? HOST;
  if (!isLoopback(host) && host !== 'localhost') return null;
  const setting = TLS_HOST === null ? 'HOST' : 'TLS_HOST';
  return `${cause}, but only programs on this machine reach it, because ${setting} is ${settings[setting]}: set TLS_HOST to 0.0.0.0, or to :: with IPv6.`;
}

/** Returns the note that robots do not use the port of the built-in broker, or null. It may be right: another port of the machine, or of a router, may lead to it. */
export function robotPortNote(settings: Settings): string | null {
  const { setting, port } = robotPort(settings);
  if (settings.BROKER_URL !== null || settings.MQTT_PORT === 0 || [0, port].includes(settings[setting])) return null;
  return `Robots always use port ${port} for messages, but ${setting} is ${settings[setting]}: remove ${setting}, or have port ${port} of this machine lead to it.`;
}

/** Returns the reason why RabbitMQ cannot call the hooks, or null. */
export const hookWarning = ({ BROKER_URL, BROKER_HOOKS_FROM }: Settings): string | null =>
  BROKER_URL === null ? null : hookProblem(BROKER_URL, BROKER_HOOKS_FROM);

/** Checks the ports and the certificate of the built-in message broker. */
export async function checkEmbeddedBroker(settings: Settings): Promise<CheckResult[]> {
  const { HOST, MQTT_PORT, MQTTS_PORT, TLS_CERT, TLS_KEY, TLS_HOST } = settings;
  if (MQTT_PORT === 0)
    return [{ name: 'broker', ok: true, message: 'MQTT_PORT is 0: the message broker is disabled.' }];
  const isServing = servingProcess(settings.DATA_DIR) !== null;
  const checkListener = (setting: 'MQTT_PORT' | 'MQTTS_PORT', host: string) => {
    const address = { host, port: settings[setting] };
    const find = () => brokerListener(address, { isEncrypted: setting === 'MQTTS_PORT', isServing });
    return checkPort({ setting, ...address, find });
  };
  const results: CheckResult[] = [
    await check('broker', () => checkListener('MQTT_PORT', HOST)),
    ...notes('broker port', robotPortNote(settings)),
  ];
  const warning = tlsWarning(settings);
  if (warning !== null) results.push({ name: 'broker encryption', ok: false, message: warning });
  if (TLS_CERT === null || TLS_KEY === null || MQTTS_PORT === 0) return results;
  const certificate = { cert: TLS_CERT, key: TLS_KEY, host: brokerHost(settings), now: systemClock.now() };
  return [
    ...results,
    await check('broker encryption', () => checkListener('MQTTS_PORT', TLS_HOST ?? HOST)),
    await check('certificate', () => checkCertificate(certificate)),
  ];
}

/** Returns the broker's host in tokens; null if it is the host that each client uses. */
const brokerHost = ({ MQTT_HOST, PUBLIC_URL }: Settings): string | null =>
  MQTT_HOST ?? (PUBLIC_URL === null ? null : new URL(PUBLIC_URL).hostname.replace(/^\[|\]$/g, ''));

/** The settings that checks of RabbitMQ are about. */
const settingOf = {
  broker: 'BROKER_URL',
  'broker management': 'BROKER_MANAGEMENT_URL',
  // Its messages name BROKER_HOOKS_FROM where that is the remedy.
  'broker hooks': null,
  // It is about RabbitMQ's configuration.
  'broker retention': null,
  'broker sessions': null,
} as const;

/** Checks RabbitMQ, and its addresses in tokens. */
export async function checkBroker(settings: Settings): Promise<CheckResult[]> {
  const {
    BROKER_URL: url,
    BROKER_ADMIN_PASSWORD,
    BROKER_MANAGEMENT_URL,
    BROKER_HOOKS_FROM,
    MQTT_WS_URL,
    MQTT_HOST,
    PUBLIC_URL,
  } = settings;
  if (url === null) return [];
  const { checkRabbitMq } = await import('../live/rabbitmq/rabbitmq-check.ts');
  const results = await checkRabbitMq({
    url,
    adminPassword: BROKER_ADMIN_PASSWORD,
    managementUrl: BROKER_MANAGEMENT_URL,
    hookAddresses: BROKER_HOOKS_FROM,
    publicUrl: PUBLIC_URL,
    mqttUrl: MQTT_WS_URL ?? `mqtt://${MQTT_HOST ?? new URL(url).hostname}:1883`,
  });
  return [
    ...results.map((result) => {
      const { name, ok, message } = result;
      const setting = settingOf[name];
      return ok || setting === null ? result : { name, ok, message: aboutSetting(setting, message) };
    }),
    await check('broker address', async () => {
      const robots = MQTT_HOST ?? 'the host of this server';
      if (MQTT_WS_URL !== null) return `Robots connect to ${robots}, browsers to MQTT_WS_URL.`;
      if (PUBLIC_URL === null)
        throw new Error('Browsers connect to /ws on this server instead of RabbitMQ: set MQTT_WS_URL.');
      return `Robots connect to ${robots}, browsers to /ws on PUBLIC_URL, which your proxy must forward to RabbitMQ.`;
    }),
  ];
}
