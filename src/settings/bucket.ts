import type { BucketAddress } from '../core/bucket-address.ts';
import type { Kind } from './setting.ts';

const known = new Set(['region', 'tls']);

/** A percent-encoded part of an address; undefined where the encoding is broken. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function read(text: string): BucketAddress | undefined {
  if (!/^s3:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const path = decoded(url.pathname);
  const accessKey = decoded(url.username);
  const secretKey = decoded(url.password);
  const [bucket = '', ...folders] = path?.split('/').filter((part) => part !== '') ?? [];
  const isSound =
    url.hostname !== '' &&
    url.hash === '' &&
    /^[a-z0-9][a-z0-9._-]{1,62}$/i.test(bucket) &&
    folders.every((part) => /^[\w.-]+$/.test(part) && !/^\.+$/.test(part)) &&
    [...url.searchParams.keys()].every((name) => known.has(name));
  const tls = url.searchParams.get('tls') ?? 'on';
  const region = url.searchParams.get('region') ?? 'us-east-1';
  if (!isSound || !accessKey || !secretKey || !['on', 'off'].includes(tls) || !/^[\w-]+$/.test(region))
    return undefined;
  return {
    endpoint: `${tls === 'on' ? 'https' : 'http'}://${url.host}`,
    region,
    bucket,
    prefix: folders.map((part) => `${part}/`).join(''),
    accessKey,
    secretKey,
  };
}

/** `s3://key:secret@host:port/bucket/folder?region=…&tls=off`, key and secret percent-encoded. */
export const bucket: Kind<BucketAddress> = {
  values:
    '`s3://key:secret@host/bucket`, perhaps with a port, folders after the bucket, `?region=…` and `tls=off`; what is special in addresses is percent-encoded',
  read,
};
