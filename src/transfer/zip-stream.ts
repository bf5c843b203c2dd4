import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';

/** A file for an archive. */
export interface ZipEntry {
  /** Its path inside, with slashes. */
  readonly name: string;
  /** Bytes are compressed; a stream is put in as it is, for content that is compressed already. */
  readonly content: Buffer | Readable;
  /** When it was changed last, in ms. */
  readonly modified: number;
}

/** What unpacked files may be used for: reading and writing by their owner. */
const mode = 0o100600;

/** A ZIP archive that is made while it is read: one entry after the other, none of them in memory whole. Destroying it ends the entries. */
export function zipStream(entries: AsyncIterable<ZipEntry>): Readable {
  const zip = new ZipFile();
  const output = zip.outputStream;
  if (!(output instanceof Readable)) throw new Error('the archive cannot be read');
  const fail = (error: Error): void => {
    output.destroy(error);
  };
  zip.on('error', fail);
  const fill = async (): Promise<void> => {
    for await (const { name, content, modified } of entries) {
      const options = { mtime: new Date(modified), mode };
      if (Buffer.isBuffer(content)) zip.addBuffer(content, name, { ...options, compress: true });
      else {
        const stop = (): void => void content.destroy();
        if (output.destroyed) stop();
        output.once('close', stop);
        zip.addReadStream(content, name, { ...options, compress: false });
        await finished(content, { writable: false });
        output.off('close', stop);
      }
      if (output.destroyed) return;
    }
    zip.end();
  };
  fill().catch(fail);
  return output;
}
