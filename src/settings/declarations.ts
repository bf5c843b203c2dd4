import type { QuotaName } from '../core/quotas.ts';
import { limitText, quotaNames, quotas } from '../core/quotas.ts';
import { bucket } from './bucket.ts';
import type { Setting } from './setting.ts';
import {
  brokerUrl,
  choice,
  count,
  domains,
  email,
  homeAssistant,
  host,
  line,
  onOff,
  origin,
  path,
  port,
  ranges,
  seconds,
  sender,
  setting,
  trust,
  url,
  webSocketUrl,
  word,
} from './setting.ts';

type QuotaSettingName = `QUOTA_${Uppercase<QuotaName>}`;

/** Returns the name of a quota's setting. */
export const quotaSetting = (name: QuotaName) => `QUOTA_${name.toUpperCase()}` as QuotaSettingName;

/** A setting for each quota. */
function quotaSettings(): Readonly<Record<QuotaSettingName, Setting<number>>> {
  const settings = quotaNames.map((name) => {
    const { limit, demoLimit, description, per } = quotas[name];
    const [subject, effect] = description.split('; ');
    const where = per === 'user' ? 'for each user, in all gardens together' : 'in each garden';
    const size = 'isSize' in quotas[name] ? ` (${limitText(name, limit)} by default)` : '';
    const beyond = effect === undefined ? '' : `; ${effect}`;
    const demo = demoLimit === 0 ? 'None for demo accounts' : `Demo accounts: at most ${limitText(name, demoLimit)}`;
    const sentence = `The maximum number of ${subject} ${where}${size}${beyond}. ${demo}.`;
    return [quotaSetting(name), setting(count, limit, sentence)] as const;
  });
  return Object.fromEntries(settings) as Record<QuotaSettingName, Setting<number>>;
}

const server = {
  HOST: setting(
    host,
    '0.0.0.0',
    'The address on which the server listens; `0.0.0.0` means all addresses of the machine.',
  ),
  PORT: setting(port, 3000, 'The port on which the server listens; 0 selects a free one.'),
  PUBLIC_URL: setting(
    origin,
    null,
    'The URL under which people and robots reach the server. Unset: tokens contain the host that the client used, and links in mail the first network address of the machine.',
  ),
  IN_CONTAINER: setting(
    onOff,
    false,
    '`on`: Potager runs in a container, whose addresses others cannot reach, so it shows robots none of them. The container image sets it.',
  ),
  DATA_DIR: setting(path, './data', 'The folder for all data of the server.'),
  DATABASE_URL: setting(
    url('postgres', 'postgresql'),
    null,
    'A PostgreSQL database (14 or newer). Unset: SQLite, in a file in `DATA_DIR`.',
    { secret: true },
  ),
  TRUST_PROXY: setting(
    trust,
    false,
    'The proxies whose `X-Forwarded-*` headers are trusted; `on` trusts the directly connected one, so use it only behind a proxy.',
  ),
  LOG_LEVEL: setting(
    choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    'info',
    'The minimum level of log messages.',
  ),
  LOG_FORMAT: setting(
    choice('auto', 'text', 'json'),
    'auto',
    'How the log is written: `text` is for people, `json` has one JSON object per line; `auto` writes text to a terminal and JSON elsewhere.',
  ),
  RATE_LIMITS: setting(onOff, true, '`off` disables the rate limits of requests, sign-ins and messages.'),
  STOP_DELAY: setting(
    seconds,
    0,
    'Seconds for which a server still accepts requests after the signal to stop, while `/ready` fails: more than a load balancer needs to see that. 0 where there is none.',
  ),
  HISTORY_DAYS: setting(
    count,
    30,
    'How long the history of changes is kept, in days; 0: only until announcements and webhooks were sent. Each account keeps at most 50,000 changes, and `QUOTA_HISTORY_BYTES`.',
  ),
  MIN_FREE_BYTES: setting(
    count,
    null,
    'Free bytes of a disk below which uploads, imports and backups are refused, so that gardens can still be written. Unset: 512 MiB or 5 % of the disk, whichever is less; 0 refuses nothing.',
  ),
};

const accounts = {
  SIGN_UP: setting(
    choice('open', 'closed'),
    'open',
    'Whether anyone may sign up, unless an administrator decides otherwise. If `closed`, accounts are created only on the command line, with the code of the first account, and by invitations of administrators, and demo accounts are disabled unless `DEMO_ACCOUNTS` is `on`.',
  ),
  TRUSTED_DOMAINS: setting(domains, [], 'The domains of e-mail addresses that may sign up. Unset: all.'),
  EMAIL_VERIFICATION: setting(
    choice('auto', 'required', 'off'),
    'auto',
    'Whether a new e-mail address must be confirmed with a link before the first sign-in; `auto` requires it if `SMTP_URL` is set.',
  ),
  TOS_URL: setting(url('http', 'https'), null, 'The URL of the terms of service; when set, users must agree to them.'),
  PRIVACY_URL: setting(url('http', 'https'), null, 'The URL of the privacy policy, linked on the sign-up page.'),
  DEMO_ACCOUNTS: setting(
    onOff,
    null,
    'Whether visitors may use demo accounts, at most 200 at a time, unless an administrator decides otherwise. Unset: `on`, or `off` if `SIGN_UP` is `closed`.',
  ),
  INACTIVE_ACCOUNTS: setting(
    choice('keep', 'delete'),
    'keep',
    '`delete` warns the owners of accounts by mail after two and a half months without use (29 and a half with a robot), and deletes the accounts unless they sign in within 14 days. Requires `SMTP_URL`. Demo accounts and `PUBLISHER` are exempt.',
  ),
  PUBLISHER: setting(email, null, 'The account whose published sequences are featured.'),
};

const mail = {
  SMTP_URL: setting(
    url('smtp', 'smtps'),
    null,
    'The mail server, as `smtp://user:password@host:port`. Unset: messages are written to `DATA_DIR/outbox`, and their links to the log.',
    { secret: true },
  ),
  MAIL_FROM: setting(sender, 'Potager <potager@localhost>', 'The sender of mail.'),
  OPERATOR_EMAIL: setting(
    email,
    null,
    'The address that gets a mail for each feedback message of a user. `potager feedback list` shows the messages either way.',
  ),
};

const clients = {
  COMPATIBILITY: setting(
    choice('document', 'web-app'),
    'document',
    "`web-app` follows the vendor's current web app where it differs from the original API: points are deleted at once instead of archived, a single log can be deleted, and applying a saved garden adds to the existing plants.",
  ),
  WEB_APP_DIR: setting(
    path,
    null,
    "The folder `public` of a build of the vendor's web app, with `assets/dist` or `assets/parcel` in it, to be served beside the console. Unset: the console only.",
  ),
  CROPS_FILE: setting(
    path,
    null,
    "A file of crops that replaces and extends those of Potager's catalog at `/api/crops`: a table (CSV, or with tabs) of column names, then a row per crop. Unset: only Potager's crops.",
  ),
  FETCH_PRIVATE_ADDRESSES: setting(
    onOff,
    false,
    '`on` allows the server to fetch URLs that clients provide (photos, farmware manifests) from any address, this machine included. `FETCH_ALLOW` opens less.',
  ),
  FETCH_ALLOW: setting(
    ranges,
    null,
    'Further addresses from which the server may fetch such URLs, for example that of your own web server, and which webhooks and virtual robots of gardens of administrators may reach. Without it, private addresses are refused, and all addresses in the networks of this machine, also public ones (of IPv6, at least its /64). A network opens its addresses except those of this machine, which must be named one by one; of loopback, `127.0.0.0/8` will do.',
  ),
};

const broker = {
  MQTT_HOST: setting(
    host,
    null,
    'The host of the message broker in tokens. Unset: the host that the client used, which is right for the built-in broker.',
  ),
  MQTT_WS_URL: setting(
    webSocketUrl,
    null,
    'The WebSocket URL of the message broker in tokens. Unset: `/ws` on this server, where the built-in broker listens. If it begins with `wss:`, robots use `MQTTS_PORT`.',
  ),
  MQTT_PORT: setting(
    port,
    1883,
    'The port of the built-in message broker; 0 disables the broker. Robots always use 1883.',
  ),
  MQTTS_PORT: setting(
    port,
    8883,
    'The port of the built-in broker for encrypted connections, open when `TLS_CERT` and `TLS_KEY` are set; 0 disables it. Robots always use 8883.',
  ),
  TLS_CERT: setting(
    path,
    null,
    'The PEM file with the certificate chain for encrypted connections to the built-in broker. Reloaded when it changes; requires `TLS_KEY`.',
  ),
  TLS_KEY: setting(path, null, 'The PEM file with the private key of `TLS_CERT`, without a passphrase.'),
  TLS_HOST: setting(
    host,
    null,
    'The address on which the broker listens for encrypted connections. Unset: that of `HOST`. With `HOST=127.0.0.1` behind a proxy on the same machine, `0.0.0.0` leaves only `MQTTS_PORT` open to others.',
  ),
  BROKER_URL: setting(
    brokerUrl,
    null,
    'A RabbitMQ server, as `amqp://host:port/vhost`, used instead of the built-in broker. Without user and password in the URL the server signs in as `admin`.',
    { secret: true },
  ),
  BROKER_ADMIN_PASSWORD: setting(
    line,
    null,
    'The password of the broker user `admin`, who may read and publish everything; the server itself uses it at `BROKER_URL`. Unset, or shorter than 5 characters: `admin` cannot sign in.',
    { secret: true },
  ),
  BROKER_MANAGEMENT_URL: setting(
    url('http', 'https'),
    null,
    'The URL of the management plugin of `BROKER_URL`, as `http://host:port`, for closing connections of revoked tokens. Unset: only new connections are refused.',
    { secret: true },
  ),
  HOME_ASSISTANT: setting(
    homeAssistant,
    null,
    "Home Assistant's message broker, as `mqtt://user:password@host:1883`, or `on`: Home Assistant connects to the built-in one, with a user for each garden. Gardens that an administrator allows can be shown there. Unset: none.",
    { secret: true },
  ),
  VIRTUAL_ROBOTS: setting(
    count,
    20,
    'The number of virtual robots that the server runs at a time, in all processes together; at most half of them of demo accounts. 0: none.',
  ),
  BROKER_HOOKS_FROM: setting(
    ranges,
    null,
    'The addresses from which a message broker may call the hooks at `/api/rmq`. Unset: programs on this machine only, and no requests that a proxy forwarded.',
  ),
};

const monitoring = {
  METRICS: setting(
    onOff,
    false,
    '`on` serves Prometheus metrics at `/metrics`: to clients that send `METRICS_TOKEN`, or, if neither it nor `TRUST_PROXY` is set, to programs on this machine.',
  ),
  METRICS_TOKEN: setting(
    word,
    null,
    'The bearer token for reading the metrics. If it is set, every request needs it, also from this machine.',
    { secret: true },
  ),
};

const photos = {
  STORAGE_URL: setting(bucket, null, 'An S3 bucket for photos. Unset: photos are files in `DATA_DIR/photos`.', {
    secret: true,
  }),
};

const seriesSettings = {
  SERIES_DAYS: setting(
    count,
    365,
    'Days for which sensor readings and telemetry are kept in series, besides the newest ones in lists; those older than 30 days as sums of quarters of an hour.',
  ),
};

const languageModel = {
  AI_URL: setting(
    url('http', 'https'),
    null,
    'The base URL of an OpenAI-compatible service that helps with writing sequences, as `http://localhost:11434/v1`; private addresses are allowed. Unset: requests for help get an error.',
    { secret: true },
  ),
  AI_KEY: setting(word, null, 'The API key of that service, sent as `Authorization: Bearer …`.', { secret: true }),
  AI_MODEL: setting(
    line,
    null,
    'The name of the model. Unset: none is sent, which works with servers of a single model.',
  ),
  AI_DAILY_QUESTIONS: setting(
    count,
    2000,
    'Questions that all accounts together may ask per day (UTC); each user may ask 201, in all gardens together. Demo accounts may ask none.',
  ),
};

/** All settings by the names of their environment variables, in groups, in the order of the documentation. */
export const settingGroups = {
  Server: server,
  Accounts: accounts,
  Mail: mail,
  'Clients and requests': clients,
  'Message broker': broker,
  Monitoring: monitoring,
  Photos: photos,
  Series: seriesSettings,
  'Language model': languageModel,
  Quotas: quotaSettings(),
};

/** All settings by name. */
export const declarations = {
  ...server,
  ...accounts,
  ...mail,
  ...clients,
  ...broker,
  ...monitoring,
  ...photos,
  ...seriesSettings,
  ...languageModel,
  ...settingGroups.Quotas,
};
