import { resolve } from 'node:path';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { Settings } from './settings.ts';
import { allSettings, hasBrokerSocket, readSettings, SettingsError, settingWarnings } from './settings.ts';

const thrownBy = (environment: Record<string, string>): SettingsError => {
  try {
    readSettings(environment);
  } catch (error) {
    if (error instanceof SettingsError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

const namesOfProblems = (environment: Record<string, string>): string[] =>
  thrownBy(environment).problems.map(({ name }) => name);

describe('readSettings', () => {
  it('has defaults for everything', () => {
    expect(readSettings({})).toEqual({
      HOST: '0.0.0.0',
      PORT: 3000,
      PUBLIC_URL: null,
      IN_CONTAINER: false,
      DATA_DIR: resolve('data'),
      DATABASE_URL: null,
      TRUST_PROXY: false,
      LOG_LEVEL: 'info',
      LOG_FORMAT: 'auto',
      RATE_LIMITS: true,
      STOP_DELAY: 0,
      SIGN_UP: 'open',
      TRUSTED_DOMAINS: [],
      EMAIL_VERIFICATION: 'auto',
      TOS_URL: null,
      PRIVACY_URL: null,
      SMTP_URL: null,
      MAIL_FROM: 'Potager <potager@localhost>',
      OPERATOR_EMAIL: null,
      COMPATIBILITY: 'document',
      FETCH_PRIVATE_ADDRESSES: false,
      FETCH_ALLOW: null,
      MQTT_HOST: null,
      MQTT_WS_URL: null,
      MQTT_PORT: 1883,
      MQTTS_PORT: 8883,
      TLS_CERT: null,
      TLS_KEY: null,
      TLS_HOST: null,
      BROKER_URL: null,
      BROKER_ADMIN_PASSWORD: null,
      BROKER_MANAGEMENT_URL: null,
      HOME_ASSISTANT: null,
      VIRTUAL_ROBOTS: 20,
      BROKER_HOOKS_FROM: null,
      STORAGE_URL: null,
      AI_URL: null,
      AI_KEY: null,
      AI_MODEL: null,
      MIN_FREE_BYTES: null,
      SERIES_DAYS: 365,
      HISTORY_DAYS: 30,
      WEB_APP_DIR: null,
      CROPS_FILE: null,
      METRICS: false,
      METRICS_TOKEN: null,
      DEMO_ACCOUNTS: null,
      INACTIVE_ACCOUNTS: 'keep',
      PUBLISHER: null,
      AI_DAILY_QUESTIONS: 2000,
      QUOTA_PHOTO_BYTES: 2_147_483_648,
      QUOTA_PHOTOS: 20_000,
      QUOTA_TOKENS: 1000,
      QUOTA_WEBHOOKS: 10,
      QUOTA_UPLOADS_IN_FLIGHT: 20,
      QUOTA_IMPORTS_IN_FLIGHT: 1,
      QUOTA_EXPORTS_PER_HOUR: 30,
      QUOTA_PERSONAL_TOKENS: 100,
      QUOTA_PUBLISHED_BYTES: 52_428_800,
      QUOTA_HISTORY_BYTES: 209_715_200,
      QUOTA_COMMANDS_IN_FLIGHT: 10,
    });
  });

  it('has exact types', () => {
    expectTypeOf<Settings['PORT']>().toEqualTypeOf<number>();
    expectTypeOf<Settings['PUBLIC_URL']>().toEqualTypeOf<string | null>();
    expectTypeOf<Settings['RATE_LIMITS']>().toEqualTypeOf<boolean>();
    expectTypeOf<Settings['COMPATIBILITY']>().toEqualTypeOf<'document' | 'web-app'>();
    expectTypeOf<Settings['TRUST_PROXY']>().toEqualTypeOf<boolean | string>();
  });

  it.each([
    [{ BROKER_URL: 'amqp://broker.example' }, 'BROKER_URL replaces it'],
    [{ MQTT_PORT: '0' }, 'MQTT_PORT=0 switches it off'],
  ])('refuses HOME_ASSISTANT=on without the built-in broker: %o', (environment, reason) => {
    expect(thrownBy({ ...environment, HOME_ASSISTANT: 'on' }).problems).toEqual([
      {
        name: 'HOME_ASSISTANT',
        message: `HOME_ASSISTANT=on needs the built-in message broker, but ${reason}. Set HOME_ASSISTANT to the URL of Home Assistant's own broker.`,
      },
    ]);
  });

  it('treats empty variables as unset and trims values', () => {
    const settings = readSettings({ PORT: '', HOST: '  ', MQTT_HOST: ' broker.example ' });
    expect(settings).toMatchObject({ PORT: 3000, HOST: '0.0.0.0', MQTT_HOST: 'broker.example' });
  });

  it.each([
    ['PORT', '0', 0],
    ['PORT', '65535', 65_535],
    ['PUBLIC_URL', 'http://garden.example:8080/', 'http://garden.example:8080'],
    ['PUBLIC_URL', 'https://Garden.example', 'https://garden.example'],
    ['DATA_DIR', '/srv/potager', '/srv/potager'],
    ['DATABASE_URL', 'postgres://u:p@db:5432/garden', 'postgres://u:p@db:5432/garden'],
    ['DATABASE_URL', 'postgresql:///garden?host=/run/postgresql', 'postgresql:///garden?host=/run/postgresql'],
    ['TRUST_PROXY', 'on', true],
    ['TRUST_PROXY', 'OFF', false],
    ['TRUST_PROXY', '10.0.0.0/8, ::1', '10.0.0.0/8,::1'],
    ['RATE_LIMITS', 'Off', false],
    ['TRUSTED_DOMAINS', 'Example.com, garden.example,', ['example.com', 'garden.example']],
    ['MAIL_FROM', 'My garden <me@garden.example>', 'My garden <me@garden.example>'],
    ['MAIL_FROM', 'me@localhost', 'me@localhost'],
    ['MQTT_HOST', '192.168.1.4', '192.168.1.4'],
    ['MQTT_WS_URL', 'wss://garden.example/ws', 'wss://garden.example/ws'],
    ['MQTT_PORT', '0', 0],
    ['BROKER_URL', 'amqps://u:p@broker.example/garden', 'amqps://u:p@broker.example/garden'],
    ['HOME_ASSISTANT', 'On', 'on'],
    ['HOME_ASSISTANT', 'mqtt://u:p%40@home.local:1883', 'mqtt://u:p%40@home.local:1883'],
    ['HOME_ASSISTANT', 'mqtts://[fd00::7]/', 'mqtts://[fd00::7]/'],
    ['BROKER_HOOKS_FROM', '10.0.0.7, fd00::/8', '10.0.0.7,fd00::/8'],
    ['FETCH_ALLOW', '192.168.0.0/24, ::1', '192.168.0.0/24,::1'],
    ['METRICS', 'on', true],
    ['DEMO_ACCOUNTS', 'off', false],
    ['COMPATIBILITY', 'web-app', 'web-app'],
  ])('reads %s=%s', (name, text, value) => {
    expect(readSettings({ [name]: text })).toMatchObject({ [name]: value });
  });

  it.each([
    ['PORT', '-1'],
    ['PORT', '65536'],
    ['PORT', '3e3'],
    ['PORT', '0x10'],
    ['HOME_ASSISTANT', 'mqtt://'],
    ['HOME_ASSISTANT', 'mqtt:'],
    ['HOME_ASSISTANT', 'mqtt://user:password@'],
    ['HOME_ASSISTANT', 'mqtt://:1883'],
    ['HOME_ASSISTANT', 'mqtt://home.local:0'],
    ['HOME_ASSISTANT', 'mqtt://home.local:99999'],
    ['HOME_ASSISTANT', 'mqtt://home.local:1883/topic'],
    ['HOME_ASSISTANT', 'mqtt://home.local?x=1'],
    ['HOME_ASSISTANT', 'mqtt://home.local#x'],
    ['HOME_ASSISTANT', 'mqtt://u:%E0%A4@home.local'],
    ['HOME_ASSISTANT', 'mqtt://a,b'],
    ['HOME_ASSISTANT', 'http://home.local:1883'],
    ['HOME_ASSISTANT', 'home.local:1883'],
    ['HOME_ASSISTANT', 'yes'],
    ['HOST', 'http://localhost'],
    ['HOST', 'a b'],
    ['PUBLIC_URL', 'garden.example'],
    ['PUBLIC_URL', 'ftp://garden.example'],
    ['PUBLIC_URL', 'http://garden.example/app'],
    ['PUBLIC_URL', 'http://garden.example/?a'],
    ['PUBLIC_URL', 'http://u:p@garden.example'],
    ['DATABASE_URL', 'mysql://db/garden'],
    ['DATABASE_URL', 'postgres:garden'],
    ['SMTP_URL', 'mail.example:25'],
    ['TRUST_PROXY', 'yes'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '10.0.0.0/8/8'],
    ['LOG_LEVEL', 'loud'],
    ['RATE_LIMITS', '1'],
    ['SIGN_UP', 'off'],
    ['TRUSTED_DOMAINS', ','],
    ['TRUSTED_DOMAINS', '@example.com'],
    ['EMAIL_VERIFICATION', 'on'],
    ['TOS_URL', 'javascript:alert(1)'],
    ['MAIL_FROM', 'Garden'],
    ['MAIL_FROM', 'a@b.c\r\nBcc: x@y.z'],
    ['MQTT_HOST', 'broker:1883'],
    ['MQTT_WS_URL', 'ws://broker/ws?a'],
    ['MQTT_WS_URL', 'ws://gärten.example/ws'],
    ['BROKER_URL', 'mqtts://broker.example'],
    ['MQTTS_PORT', '-1'],
    ['STOP_DELAY', '3601'],
    ['METRICS', 'yes'],
    ['METRICS_TOKEN', 'two words'],
    ['PUBLISHER', 'me'],
    ['AI_MODEL', 'x'.repeat(4097)],
  ])('refuses %s=%s', (name, text) => {
    expect(namesOfProblems({ [name]: text })).toEqual([name]);
  });

  it('reports all invalid settings together', () => {
    const error = thrownBy({ PORT: 'x', SIGN_UP: 'never', AI_URL: 'x', DATA_DIR: '/srv' });
    expect(error.problems.map(({ name }) => name)).toEqual(['PORT', 'SIGN_UP', 'AI_URL']);
    expect(error.message).toBe(
      'PORT must be a whole number from 0 to 65535, not "x".\n' +
        'SIGN_UP must be `open` or `closed`, not "never".\n' +
        'AI_URL must be a URL that begins with `http://` or `https://`.',
    );
  });

  it('requires certificate and key together', () => {
    expect(thrownBy({ TLS_CERT: '/c.pem', PORT: 'x' }).problems).toEqual([
      { name: 'PORT', message: 'PORT must be a whole number from 0 to 65535, not "x".' },
      { name: 'TLS_KEY', message: 'TLS_KEY must be set too, because TLS_CERT is.' },
    ]);
    expect(thrownBy({ TLS_KEY: '/k.pem', TLS_CERT: ' ' }).message).toBe(
      'TLS_CERT must be set too, because TLS_KEY is.',
    );
    expect(readSettings({ TLS_KEY: '/k.pem', TLS_CERT: '/c.pem' })).toMatchObject({ TLS_CERT: '/c.pem' });
  });

  it('gives the reason for which MQTT URLs are refused', () => {
    const { message } = thrownBy({ BROKER_URL: 'mqtt://u:hunter2@broker.example' });
    expect(message).toBe(
      'BROKER_URL must be a URL that begins with `amqp://` or `amqps://` (RabbitMQ; over MQTT, messages for several servers would be lost or stored twice).',
    );
  });

  it('reveals no secrets', () => {
    const secrets = allSettings().filter(([, { isSecret }]) => isSecret);
    expect(secrets.map(([name]) => name)).toEqual([
      'DATABASE_URL',
      'SMTP_URL',
      'BROKER_URL',
      'BROKER_ADMIN_PASSWORD',
      'BROKER_MANAGEMENT_URL',
      'HOME_ASSISTANT',
      'METRICS_TOKEN',
      'STORAGE_URL',
      'AI_URL',
      'AI_KEY',
    ]);
    const environment = Object.fromEntries(secrets.map(([name]) => [name, 'hunter2\u0000']));
    const error = thrownBy({ ...environment, PUBLIC_URL: 'http://u:hunter2@garden.example' });
    expect(error.problems).toHaveLength(secrets.length + 1);
    expect(error.message).not.toContain('hunter2');
  });
});

describe('settingWarnings', () => {
  it('is empty for valid settings', () => {
    expect(settingWarnings({ PORT: '1', MQTT_HOST: 'a', METRICS: 'on', PATH: '/bin', HOME: '/root' })).toEqual([]);
  });

  it('reports misspelled names', () => {
    expect(settingWarnings({ DATABSE_URL: 'postgres://u:hunter2@db/x' })).toEqual([
      'DATABSE_URL is not a setting. Did you mean DATABASE_URL?',
    ]);
  });
});

describe('hasBrokerSocket', () => {
  it('is true for the built-in broker, and for RabbitMQ where its WebSocket has an address', () => {
    const has = (environment: Record<string, string>): boolean => hasBrokerSocket(readSettings(environment));
    const BROKER_URL = 'amqp://admin@broker.example';
    expect(has({})).toBe(true);
    expect(has({ MQTT_PORT: '0' })).toBe(false);
    expect(has({ BROKER_URL })).toBe(false);
    expect(has({ BROKER_URL, MQTT_WS_URL: 'wss://broker.example/ws' })).toBe(true);
  });
});
