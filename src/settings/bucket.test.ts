import { describe, expect, it } from 'vitest';
import { bucket } from './bucket.ts';

describe('the URL of a bucket', () => {
  it('is parsed with defaults', () => {
    expect(bucket.parse('s3://key:secret@s3.example.com/photos')).toEqual({
      endpoint: 'https://s3.example.com',
      region: 'us-east-1',
      bucket: 'photos',
      prefix: '',
      accessKey: 'key',
      secretKey: 'secret',
    });
  });

  it('is parsed with all parts, key and secret decoded', () => {
    expect(bucket.parse('s3://k%40y:s%2Fec%2Bret@127.0.0.1:9000/photos/of/garden/?region=eu-1&tls=off')).toEqual({
      endpoint: 'http://127.0.0.1:9000',
      region: 'eu-1',
      bucket: 'photos',
      prefix: 'of/garden/',
      accessKey: 'k@y',
      secretKey: 's/ec+ret',
    });
  });

  it.each([
    's3://host/bucket',
    's3://key@host/bucket',
    's3://key:secret@host',
    's3://key:secret@host/',
    's3://key:secret@host/b',
    's3://key:secret@host/bucket/a%2F..%2Fb',
    's3://key:secret@host/bucket?tls=maybe',
    's3://key:secret@host/bucket?region=',
    's3://key:secret@host/bucket?reg1on=x',
    's3://key:%zz@host/bucket',
    's3://key:secret@host/bucket#x',
    'https://key:secret@host/bucket',
    's3:key:secret@host/bucket',
    'bucket',
  ])('is refused: %s', (text) => {
    expect(bucket.parse(text)).toBeUndefined();
  });
});
