import type { Message } from './message.ts';
import { messagesIn } from './message.ts';

/** Sizes in sentences. */
export const sayOfSize = messagesIn({
  en: { mebibytes: (count: number) => `${count} MiB`, bytes: (count: number) => `${count} bytes` },
  fr: {
    mebibytes: (count) => `${String(count).replace('.', ',')} Mio`,
    bytes: (count) => `${count} octets`,
  },
});

/** In bytes. */
export const mebibyte = 1024 * 1024;

/** Returns a number of bytes as people read it. A size that is too large is rounded up, so that it differs from the limit. */
export const sizeText = (bytes: number, round: (value: number) => number = Math.floor): Message =>
  bytes < mebibyte ? sayOfSize.bytes(bytes) : sayOfSize.mebibytes(round((bytes / mebibyte) * 10) / 10);
