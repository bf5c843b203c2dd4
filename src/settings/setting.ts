import { isIP } from 'node:net';

/** The parser of a variable's text. */
export interface SettingKind<T> {
  /** The valid values, for the documentation and errors: "a whole number …". */
  readonly values: string;
  /** The placeholder for a value in the help of commands: `port`. */
  readonly placeholder: string;
  /** All valid words, if there are few. */
  readonly choices?: readonly string[];
  /** Returns undefined for invalid text. */
  parse(text: string): T | undefined;
}

/** A setting with values of type `T`. */
export interface Setting<T> {
  readonly kind: SettingKind<T>;
  readonly defaultValue: T;
  /** For the documentation. */
  readonly description: string;
  /** The value must not appear in errors or logs. */
  readonly isSecret: boolean;
}

/** Declares a setting. */
export function setting<T, D extends T | null>(
  kind: SettingKind<T>,
  defaultValue: D,
  description: string,
  marks: { readonly secret?: true } = {},
): Setting<T | D> {
  return {
    kind,
    defaultValue,
    description,
    isSecret: marks.secret === true,
  };
}

/** Returns a value in the form in which it is written; null if it is unset. */
export function valueText(value: unknown): string | null {
  if (value === null || (Array.isArray(value) && value.length === 0)) return null;
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value);
}

/** The value of a setting. */
export type ValueOf<S> = S extends Setting<infer T> ? T : never;

function enumeration(words: readonly string[]): string {
  const quoted = words.map((word) => `\`${word}\``);
  return `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
}

/** One of several words, case-insensitive. */
export function choice<const Word extends string>(...words: readonly Word[]): SettingKind<Word> {
  return {
    values: enumeration(words),
    placeholder: 'word',
    choices: words,
    parse: (text) => words.find((word) => word === text.toLowerCase()),
  };
}

/** `on` or `off`. */
export const onOff: SettingKind<boolean> = {
  values: enumeration(['on', 'off']),
  placeholder: 'on|off',
  choices: ['on', 'off'],
  parse: (text) => ({ on: true, off: false })[text.toLowerCase()],
};

/** A TCP port; the description explains 0. */
export const port: SettingKind<number> = {
  values: 'a whole number from 0 to 65535',
  placeholder: 'port',
  parse: (text) => (/^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined),
};

/** A number of things or bytes. */
export const count: SettingKind<number> = {
  values: 'a whole number',
  placeholder: 'number',
  parse: (text) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined),
};

/** Seconds to wait. Timers of Node.js are limited to 24 days. */
export const seconds: SettingKind<number> = {
  values: 'a whole number from 0 to 3600',
  placeholder: 'seconds',
  parse: (text) => (/^\d{1,4}$/.test(text) && Number(text) <= 3600 ? Number(text) : undefined),
};

/** One line of text. */
export const line: SettingKind<string> = { values: 'text', placeholder: 'text', parse: (text) => text };

/** Text that is valid in an `Authorization` header. */
export const word: SettingKind<string> = {
  values: 'ASCII text without spaces',
  placeholder: 'text',
  parse: (text) => (/^[!-~]+$/.test(text) ? text : undefined),
};

/** The path of a file or folder, relative to the working directory. */
export const path: SettingKind<string> = { values: 'a path', placeholder: 'path', parse: (text) => text };

const hostName = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/i;

const isHost = (text: string): boolean => isIP(text) !== 0 || (text.length <= 253 && hostName.test(text));

/** A host without scheme and port. */
export const host: SettingKind<string> = {
  values: 'a host name or an IP address',
  placeholder: 'host',
  parse: (text) => (isHost(text) ? text : undefined),
};

function parseUrl(text: string, schemes: readonly string[]): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  return schemes.includes(url.protocol.slice(0, -1)) && text.includes('://') ? url : undefined;
}

const urlValues = (schemes: readonly string[]): string =>
  `a URL that begins with ${schemes.map((scheme) => `\`${scheme}://\``).join(' or ')}`;

/** An absolute URL with one of the schemes, unchanged. */
export const url = (...schemes: readonly string[]): SettingKind<string> => ({
  values: urlValues(schemes),
  placeholder: 'url',
  parse: (text) => (parseUrl(text, schemes) ? text : undefined),
});

/** Whether user and password in a URL can be decoded. */
function hasDecodableUser({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username);
    decodeURIComponent(password);
    return true;
  } catch {
    return false;
  }
}

/** `on`, or the URL of an MQTT broker. */
export const homeAssistant: SettingKind<string> = {
  values: '`on`, or a URL with a host and nothing after the port (`mqtt://user:password@host:1883`, or `mqtts://…`)',
  placeholder: 'on|url',
  parse(text) {
    if (text.toLowerCase() === 'on') return 'on';
    const url = parseUrl(text, ['mqtt', 'mqtts']);
    if (!url || !isHost(url.hostname.replace(/^\[(.*)\]$/, '$1')) || url.port === '0') return undefined;
    const isBare = /^\/?$/.test(url.pathname) && !/[?#]/.test(text);
    return isBare && hasDecodableUser(url) ? text : undefined;
  },
};

const amqp = url('amqp', 'amqps');

/** The AMQP URL of a RabbitMQ server. MQTT URLs are refused with the reason. */
export const brokerUrl: SettingKind<string> = {
  values: `${amqp.values} (RabbitMQ; over MQTT, messages for several servers would be lost or stored twice)`,
  placeholder: 'url',
  parse: (text) => amqp.parse(text),
};

/** The origin of a server: scheme, host and optional port, without a trailing slash. */
export const origin: SettingKind<string> = {
  values: `${urlValues(['http', 'https'])}, with a host, an optional port, and nothing after it`,
  placeholder: 'url',
  parse(text) {
    const url = parseUrl(text, ['http', 'https']);
    return url && url.href === `${url.origin}/` ? url.origin : undefined;
  },
};

/** A WebSocket URL for a token claim, restricted to forms that clients can decode. [rule A16] */
export const webSocketUrl: SettingKind<string> = {
  values: `${urlValues(['ws', 'wss'])}, without \`?\`, \`#\`, \`>\`, \`~\` and non-ASCII characters`,
  placeholder: 'url',
  parse: (text) => (parseUrl(text, ['ws', 'wss']) && /^[!-}]+$/.test(text) && !/[?#>]/.test(text) ? text : undefined),
};

const mailAddress = /^[^\s@<>"(),:;[\]\\]{1,64}@[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/i;

/** An e-mail address. */
export const email: SettingKind<string> = {
  values: 'an e-mail address',
  placeholder: 'email',
  parse: (text) => (mailAddress.test(text) ? text : undefined),
};

/** A sender: `garden@example.com` or `My garden <garden@example.com>`. */
export const sender: SettingKind<string> = {
  values: 'an e-mail address, or `Name <address>`',
  placeholder: 'sender',
  parse(text) {
    // `docker run --env-file` keeps the quotes that shells and systemd need.
    const bare = /^(["'])([^"']*)\1$/.exec(text)?.[2]?.trim() ?? text;
    const named = /^[^<>]*<([^<>]*)>$/.exec(bare);
    return mailAddress.test(named?.[1] ?? bare) ? bare : undefined;
  },
};

const splitList = (text: string): readonly string[] =>
  text
    .split(',')
    .map((word) => word.trim().toLowerCase())
    .filter((word) => word !== '');

/** Mail domains, in lowercase. */
export const domains: SettingKind<readonly string[]> = {
  values: 'comma-separated host names',
  placeholder: 'domains',
  parse(text) {
    const list = splitList(text);
    return list.length > 0 && list.every((domain) => hostName.test(domain)) ? list : undefined;
  },
};

/** Whether text is an address or a range: `10.0.0.0/8`. */
function isRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const maxBits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return (
    maxBits > 0 && rest.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= maxBits))
  );
}

/** IP addresses and ranges, as one text. */
export const ranges: SettingKind<string> = {
  values: 'comma-separated IP addresses or ranges (`10.0.0.0/8`)',
  placeholder: 'ranges',
  parse(text) {
    const list = splitList(text);
    return list.length > 0 && list.every(isRange) ? list.join(',') : undefined;
  },
};

/** No proxy (false), the connected one (true), or the ones in the ranges. */
export const trust: SettingKind<boolean | string> = {
  values: `${onOff.values}, or ${ranges.values}`,
  placeholder: 'on|off|ranges',
  choices: onOff.choices ?? [],
  parse: (text) => onOff.parse(text) ?? ranges.parse(text),
};
