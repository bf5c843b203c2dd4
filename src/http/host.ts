/** Matches a DNS name, an IPv4 address or a bracketed IPv6 address, and an optional port; nothing that could end a URL's host part early. */
const pattern = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9_](?:[a-z0-9._-]{0,251}[a-z0-9_])?\.?)(?::(\d{1,5}))?$/i;

const defaultPort = (secure: boolean): string => (secure ? '443' : '80');

/** `host:port`, always with a port, or null when the header is not a valid host of a URL. [rule H13] */
export function checkedHost(header: string | undefined, secure: boolean): string | null {
  const match = header === undefined ? null : pattern.exec(header);
  if (!match) return null;
  const port = Number(match[2] ?? defaultPort(secure));
  if (port === 0 || port > 65_535) return null;
  // The pattern also matches out-of-range numbers, broken IPv6 and broken international names, which clients cannot parse.
  const host = `${match[1]?.toLowerCase()}:${port}`;
  return URL.canParse(`http://${host}`) ? host : null;
}

/** `host:port` of a URL. */
export const hostOf = (url: URL): string => `${url.hostname}:${url.port || defaultPort(url.protocol === 'https:')}`;

/** Host name (IPv6 without brackets) and port of a checked `host[:port]`. */
export function hostParts(host: string, secure: boolean): { name: string; port: string } {
  const [, name = host, port = defaultPort(secure)] = /^(.*?)(?::(\d+))?$/.exec(host) ?? [];
  return { name: name.replace(/^\[|\]$/g, ''), port };
}

/** `host:port` of the local end of a connection, for requests whose `Host` is missing or invalid. */
export function hostOfSocket(socket: { localAddress?: string | undefined; localPort?: number | undefined }): string {
  // The zone of a link-local address is meaningful on this machine only.
  const [address = ''] = plainAddress(socket.localAddress ?? 'localhost').split('%');
  return `${address.includes(':') ? `[${address}]` : address}:${socket.localPort ?? 80}`;
}

/** The address, with IPv4-mapped IPv6 addresses in IPv4 form. */
export const plainAddress = (address: string): string =>
  address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
