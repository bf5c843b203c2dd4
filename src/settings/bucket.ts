import type { BucketAddress } from '../core/bucket-address.ts';
import type { SettingKind } from './setting.ts';

const parameters = new Set(['region', 'tls']);

/** Decodes a percent-encoded part of a URL; returns undefined if the encoding is invalid. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function parse(text: string): BucketAddress | undefined {
  if (!/^s3:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const path = decode(url.pathname);
  const accessKey = decode(url.username);
  const secretKey = decode(url.password);
  const [bucket = '', ...folders] = path?.split('/').filter((part) => part !== '') ?? [];
  const isValid =
    url.hostname !== '' &&
    url.hash === '' &&
    /^[a-z0-9][a-z0-9._-]{1,62}$/i.test(bucket) &&
    folders.every((part) => /^[\w.-]+$/.test(part) && !/^\.+$/.test(part)) &&
    [...url.searchParams.keys()].every((name) => parameters.has(name));
  const tls = url.searchParams.get('tls') ?? 'on';
  const region = url.searchParams.get('region') ?? 'us-east-1';
  if (!isValid || !accessKey || !secretKey || !['on', 'off'].includes(tls) || !/^[\w-]+$/.test(region))
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
export const bucket: SettingKind<BucketAddress> = {
  placeholder: 'url',
  values:
    '`s3://key:secret@host/bucket`, optionally with a port, folders after the bucket, `?region=…` and `tls=off`; special characters are percent-encoded',
  parse,
};
