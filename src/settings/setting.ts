import { isIP } from 'node:net';

/** How the text of a variable becomes a value. */
export interface Kind<T> {
  /** What may be written, for the documentation and for errors: "a whole number …". */
  readonly values: string;
  /** Undefined: the text is no such value. */
  read(text: string): T | undefined;
}

/** One setting. `T` is the type of its value. */
export interface Setting<T> {
  readonly kind: Kind<T>;
  readonly fallback: T;
  /** One sentence for the documentation. */
  readonly about: string;
  /** The value never appears in errors or logs. */
  readonly isSecret: boolean;
}

/** Declares a setting: how it is read, its value when it is unset, and what it does. */
export function setting<T, D extends T | null>(
  kind: Kind<T>,
  fallback: D,
  about: string,
  marks: { readonly secret?: true } = {},
): Setting<T | D> {
  return {
    kind,
    fallback,
    about,
    isSecret: marks.secret === true,
  };
}

/** The value of a setting. */
export type ValueOf<S> = S extends Setting<infer T> ? T : never;

function enumeration(words: readonly string[]): string {
  const quoted = words.map((word) => `\`${word}\``);
  return `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
}

/** One of a few words, in any case. */
export function oneOf<const Word extends string>(...words: readonly Word[]): Kind<Word> {
  return { values: enumeration(words), read: (text) => words.find((word) => word === text.toLowerCase()) };
}

/** `on` or `off`. */
export const onOff: Kind<boolean> = {
  values: enumeration(['on', 'off']),
  read: (text) => ({ on: true, off: false })[text.toLowerCase()],
};

/** A TCP port; 0 has a meaning of its own, which the setting's sentence tells. */
export const port: Kind<number> = {
  values: 'a whole number from 0 to 65535',
  read: (text) => (/^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined),
};

/** Any text in one line. */
export const line: Kind<string> = { values: 'text', read: (text) => text };

/** Text that can stand in an `Authorization` header as it is. */
export const word: Kind<string> = {
  values: 'ASCII text without spaces',
  read: (text) => (/^[!-~]+$/.test(text) ? text : undefined),
};

/** The path of a file or folder, relative ones from where the program is started. */
export const path: Kind<string> = { values: 'a path', read: (text) => text };

const hostName = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/i;

const isHost = (text: string): boolean => isIP(text) !== 0 || (text.length <= 253 && hostName.test(text));

/** A host without scheme and port. */
export const host: Kind<string> = {
  values: 'a host name or an IP address',
  read: (text) => (isHost(text) ? text : undefined),
};

function parsed(text: string, schemes: readonly string[]): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  return schemes.includes(url.protocol.slice(0, -1)) && text.includes('://') ? url : undefined;
}

const addresses = (schemes: readonly string[]): string =>
  `an address that begins with ${schemes.map((scheme) => `\`${scheme}://\``).join(' or ')}`;

/** An absolute URL with one of the given schemes, as it was written. */
export const url = (...schemes: readonly string[]): Kind<string> => ({
  values: addresses(schemes),
  read: (text) => (parsed(text, schemes) ? text : undefined),
});

const amqp = url('amqp', 'amqps');

/** The AMQP address of a RabbitMQ. What is written there for MQTT is refused with the reason. */
export const brokerUrl: Kind<string> = {
  values: `${amqp.values} (RabbitMQ; over MQTT, messages for several servers would be lost or stored twice)`,
  read: (text) => amqp.read(text),
};

/** An http(s) address of a server: scheme, host and perhaps a port, without a slash at the end. */
export const origin: Kind<string> = {
  values: `${addresses(['http', 'https'])}, with a host and perhaps a port, and nothing after it`,
  read(text) {
    const address = parsed(text, ['http', 'https']);
    return address && address.href === `${address.origin}/` ? address.origin : undefined;
  },
};

/** A WebSocket address that token claims can carry: clients decode them with plain Base64, which `?`, `>`, `~` and other alphabets break. [client web app] */
export const webSocketUrl: Kind<string> = {
  values: `${addresses(['ws', 'wss'])}, without \`?\`, \`#\`, \`>\`, \`~\` and letters beyond ASCII`,
  read: (text) => (parsed(text, ['ws', 'wss']) && /^[!-}]+$/.test(text) && !/[?#>]/.test(text) ? text : undefined),
};

const mailAddress = /^[^\s@<>"(),:;[\]\\]{1,64}@[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/i;

/** An e-mail address. */
export const email: Kind<string> = {
  values: 'an e-mail address',
  read: (text) => (mailAddress.test(text) ? text : undefined),
};

/** A sender: `garden@example.com` or `My garden <garden@example.com>`. */
export const sender: Kind<string> = {
  values: 'an e-mail address, or `Name <address>`',
  read(text) {
    const named = /^[^<>]*<([^<>]*)>$/.exec(text);
    return mailAddress.test(named?.[1] ?? text) ? text : undefined;
  },
};

const listed = (text: string): readonly string[] =>
  text
    .split(',')
    .map((word) => word.trim().toLowerCase())
    .filter((word) => word !== '');

/** Mail domains, in lower case. */
export const domains: Kind<readonly string[]> = {
  values: 'host names with commas between them',
  read(text) {
    const list = listed(text);
    return list.length > 0 && list.every((domain) => hostName.test(domain)) ? list : undefined;
  },
};

/** An address, or a range of them: `10.0.0.0/8`. */
function isRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return most > 0 && rest.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most));
}

/** IP addresses and ranges, as one text. */
export const ranges: Kind<string> = {
  values: 'IP addresses or ranges (`10.0.0.0/8`) with commas between them',
  read(text) {
    const list = listed(text);
    return list.length > 0 && list.every(isRange) ? list.join(',') : undefined;
  },
};

/** Nobody (false), everybody (true) or these addresses. */
export const trust: Kind<boolean | string> = {
  values: `${onOff.values}, or ${ranges.values}`,
  read: (text) => onOff.read(text) ?? ranges.read(text),
};
