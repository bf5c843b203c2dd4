import type { Call } from '../engine/route.ts';

/** `http://host:port` as a client reaches the server. */
export const requestOrigin = ({ host, isSecure }: Pick<Call, 'host' | 'isSecure'>): string =>
  new URL(`${isSecure ? 'https' : 'http'}://${host}`).origin;

/** An image's JSON as one client sees it: the photo's address is on the host that this client uses. Before that field nothing is anybody's text. */
export const rewritePhotoOrigin = (origin: string, json: string): string =>
  json.replace(/"attachment_url":"https?:\/\/[^/"]+/, () => `"attachment_url":"${origin}`);

/** The same for the JSON array of several. */
export function rewritePhotoOrigins(origin: string, list: string): string {
  const records = JSON.parse(list) as object[];
  return `[${records.map((record) => rewritePhotoOrigin(origin, JSON.stringify(record))).join(',')}]`;
}
