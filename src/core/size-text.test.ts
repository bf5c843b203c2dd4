import { expect, it } from 'vitest';
import { sizeText } from './size-text.ts';

it('writes sizes in MiB, and small ones in bytes', () => {
  const mebibyte = 1024 * 1024;
  const written = (bytes: number, round?: (value: number) => number) =>
    (['en', 'fr'] as const).map((language) => sizeText(bytes, round).in(language));
  expect(written(2048 * mebibyte)).toEqual(['2048 MiB', '2048 Mio']);
  expect(written(1.55 * mebibyte)).toEqual(['1.5 MiB', '1,5 Mio']);
  expect(written(50 * mebibyte + 1, Math.ceil)).toEqual(['50.1 MiB', '50,1 Mio']);
  expect(written(mebibyte - 1)).toEqual(['1048575 bytes', '1048575 octets']);
});
