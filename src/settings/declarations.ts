import { bucket } from './bucket.ts';
import {
  brokerUrl,
  domains,
  email,
  host,
  line,
  oneOf,
  onOff,
  origin,
  path,
  port,
  ranges,
  sender,
  setting,
  trust,
  url,
  webSocketUrl,
  word,
} from './setting.ts';

/** Every setting of the program, in the order of the documentation. The names are those of environment variables. */
export const declarations = {
  HOST: setting(host, '0.0.0.0', 'The address of this machine on which the server listens; `0.0.0.0` is all of them.'),
  PORT: setting(port, 3000, 'The port on which the server listens; 0 takes a free one.'),
  PUBLIC_URL: setting(
    origin,
    null,
    'The address under which people and robots reach the server. Unset: tokens hold the address that the client itself used, and links in mail the first address of this machine in its network.',
  ),
  DATA_DIR: setting(path, './data', 'The folder that holds everything the server keeps.'),
  DATABASE_URL: setting(
    url('postgres', 'postgresql'),
    null,
    'A PostgreSQL database (14 or newer) to keep the data in. Unset: SQLite, in a file in `DATA_DIR`.',
    { secret: true },
  ),
  TRUST_PROXY: setting(
    trust,
    false,
    'Whose `X-Forwarded-*` headers are believed; `on` believes the proxy that is connected, so set it only behind one.',
  ),
  LOG_LEVEL: setting(
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    'info',
    'The least important kind of message that is still logged.',
  ),
  RATE_LIMITS: setting(onOff, true, '`off` lifts the limits on how often clients may ask, sign in and send messages.'),

  SIGN_UP: setting(oneOf('open', 'closed'), 'open', 'Whether anybody may make an account, or only the command line.'),
  TRUSTED_DOMAINS: setting(
    domains,
    [],
    'The domains of the e-mail addresses that may have accounts. Unset: all of them.',
  ),
  EMAIL_VERIFICATION: setting(
    oneOf('required', 'off'),
    'required',
    'Whether a new e-mail address must be confirmed with a link before its owner can sign in.',
  ),
  TOS_URL: setting(url('http', 'https'), null, 'The terms of service; when it is set, everybody has to agree to them.'),
  PRIVACY_URL: setting(url('http', 'https'), null, 'The privacy policy that sign-up pages link to.'),

  SMTP_URL: setting(
    url('smtp', 'smtps'),
    null,
    'The mail server, as `smtp://user:password@host:port`. Unset: each message is a file in `DATA_DIR/outbox`, and its link is in the log.',
    { secret: true },
  ),
  MAIL_FROM: setting(sender, 'Potager <potager@localhost>', 'The sender of messages.'),

  COMPATIBILITY: setting(
    oneOf('document', 'web-app'),
    'document',
    "`web-app` follows the robot vendor's current web app where it departs from the specification: points are deleted at once instead of archived, a single log can be deleted, and applying a saved garden adds to what is there.",
  ),
  FETCH_PRIVATE_ADDRESSES: setting(
    onOff,
    false,
    '`on` lets the server fetch what a client names (photos, manifests of farmware) from private networks too.',
  ),

  MQTT_HOST: setting(
    host,
    null,
    'The host of the message broker that tokens name. Unset: the host under which the client reached the server, which is right for the built-in broker.',
  ),
  MQTT_WS_URL: setting(
    webSocketUrl,
    null,
    'The WebSocket address of the message broker that tokens name. Unset: `/ws` on the address of the server, where the built-in broker answers. Where it begins with `wss:`, robots use `MQTTS_PORT`.',
  ),
  MQTT_PORT: setting(
    port,
    1883,
    'The port of the built-in message broker; 0 switches the broker off. Robots use 1883, whatever is set here.',
  ),
  MQTTS_PORT: setting(
    port,
    8883,
    'The port of the built-in broker for encrypted connections, open when `TLS_CERT` and `TLS_KEY` are set; 0 keeps it closed. Robots use 8883, whatever is set here.',
  ),
  TLS_CERT: setting(
    path,
    null,
    'The file (PEM) with the certificate for encrypted connections to the built-in broker, followed by those of its issuers. Read again when it changes; needs `TLS_KEY`.',
  ),
  TLS_KEY: setting(path, null, 'The file (PEM) with the private key of `TLS_CERT`, without a passphrase.'),
  BROKER_URL: setting(
    brokerUrl,
    null,
    'A RabbitMQ of your own, as `amqp://host:port/vhost`, used instead of the built-in broker. Without a user and a password in it the server signs in as `admin`.',
    { secret: true },
  ),
  BROKER_ADMIN_PASSWORD: setting(
    line,
    null,
    'The password of the user `admin` of the message broker, who may read and publish everything: the server itself at `BROKER_URL`. Unset, or shorter than 5 characters: nobody is let in as `admin`.',
    { secret: true },
  ),
  BROKER_MANAGEMENT_URL: setting(
    url('http', 'https'),
    null,
    'The address of the management plug-in of `BROKER_URL`, as `http://host:port`, for ending the connections of tokens that were revoked. Unset: only new ones are refused.',
    { secret: true },
  ),
  BROKER_HOOKS_FROM: setting(
    ranges,
    null,
    'The addresses from which a message broker may ask at `/api/rmq` who is allowed in. Unset: all of them.',
  ),
  METRICS: setting(
    onOff,
    false,
    '`on` serves figures about the running server at `/metrics`, in the form of Prometheus, to this machine itself and to whoever sends `METRICS_TOKEN`.',
  ),
  METRICS_TOKEN: setting(
    word,
    null,
    'What one has to send as `Authorization: Bearer …` to read those figures from another machine, or through a proxy.',
    { secret: true },
  ),
  DEMO_ACCOUNTS: setting(
    onOff,
    true,
    'Whether visitors may try a demo account for as long as they use it, also where `SIGN_UP` is closed. At most 200 at once.',
  ),

  STORAGE_URL: setting(
    bucket,
    null,
    'A bucket for photos, at any service that speaks S3. Unset: they are files in `DATA_DIR/photos`.',
    { secret: true },
  ),
  AI_URL: setting(
    url('http', 'https'),
    null,
    'The base address of an OpenAI-compatible service that helps with writing programs, as `http://localhost:11434/v1`; private addresses are fine. Unset: nobody helps, and who asks is told so.',
    { secret: true },
  ),
  AI_KEY: setting(word, null, 'The key for that service, sent as `Authorization: Bearer …`.', { secret: true }),
  AI_MODEL: setting(
    line,
    null,
    'The name of the model to ask there. Unset: none is named, which servers with a single model do not mind.',
  ),
  WEB_APP_DIR: setting(
    path,
    null,
    "The folder with a built copy of the robot vendor's web app (its folder `public`, with `assets/dist` or `assets/parcel` in it), to be served too. Unset: simple pages for accounts.",
  ),
  INACTIVE_ACCOUNTS: setting(
    oneOf('keep', 'delete'),
    'keep',
    '`delete` warns accounts by mail that nobody used for two and a half months (with a robot: 29 and a half), and deletes them when nobody signs in within 14 days. Needs `SMTP_URL`; without it nothing is deleted. Demo accounts and `PUBLISHER` are exempt.',
  ),
  PUBLISHER: setting(email, null, 'The account whose published sequences are shown as featured.'),
};
