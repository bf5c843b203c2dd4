import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';
import { Failure } from '../core/errors.ts';

/** Limits of an upload's form; clients send seven fields of less than a hundred bytes. [client FBOS] */
const mostParts = 20;
/** Bytes of a field. */
const longestField = 2000;
/** Bytes of a part's headers. */
const longestHeaders = 4096;
/** Bytes of everything beside the file. */
const aroundFile = 64 * 1024;

const bad = (sentence: string) => new Failure('bad_request', sentence);
const unreadable = 'The body must be a form (multipart/form-data) with a key and a file.';

/** What is done with a file as it comes, and with the fields that came before it. */
export type FileReader = (content: Readable, before: ReadonlyMap<string, string>) => Promise<void>;

/**
 * Reads an upload's form piece by piece: gives its fields, of repeated ones the first. `mostBytes`: of the file. Throws 400,
 * 413, and what `take` throws; then nothing more of it is read.
 */
export async function readUploadForm(
  content: Readable,
  contentType: string | undefined,
  mostBytes: number,
  take: FileReader,
): Promise<ReadonlyMap<string, string>> {
  const form = parser(contentType);
  const fields = new Map<string, string>();
  let file: Readable | null = null;
  let taking: Promise<void> | null = null;
  let reason: unknown = null;
  const stop = (error: unknown): void => {
    reason ??= error;
    form.destroy(reason instanceof Error ? reason : undefined);
  };
  form.on('field', (name, value, _nameIsCut, valueIsCut) => {
    if (valueIsCut) stop(bad('A field of the form is too long.'));
    else if (!fields.has(name)) fields.set(name, value);
  });
  form.on('file', (name, stream) => {
    // An error of a stream that nobody reads would end the process.
    stream.on('error', () => undefined);
    if (name !== 'file') {
      stream.resume();
      return;
    }
    file = stream;
    taking = take(stream, fields);
    taking.catch(stop);
  });
  for (const event of ['partsLimit', 'fieldsLimit', 'filesLimit'] as const)
    form.on(event, () => stop(bad('The form has too many parts.')));
  try {
    await pipeline(limited(content, mostBytes + aroundFile), form);
    await taking;
    return fields;
  } catch (error) {
    const told = reason ?? (error instanceof Failure ? error : bad(unreadable));
    // What still reads the file must learn that no more comes.
    destroyed(file);
    await settled(taking);
    throw told;
  }
}

function parser(contentType: string | undefined) {
  if (!/^multipart\/form-data\s*;/i.test(contentType ?? '')) throw bad(unreadable);
  try {
    return new Busboy({
      headers: { 'content-type': contentType ?? '' },
      // A file without a name is one; text is none, whatever its field is called.
      isPartAFile: (_field, type, name) => name !== undefined || (type !== undefined && !type.startsWith('text/')),
      limits: {
        fields: mostParts,
        files: 1,
        parts: mostParts,
        fieldSize: longestField,
        headerPairs: mostParts,
        headerSize: longestHeaders,
      },
    });
  } catch {
    throw bad(unreadable);
  }
}

async function* limited(content: Readable, most: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of content as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > most) throw new Failure('body_too_large', 'The upload is too large.');
    yield chunk;
  }
}

const destroyed = (stream: Readable | null): void => {
  stream?.destroy(new Error('the upload broke off'));
};

const settled = async (work: Promise<void> | null): Promise<void> => {
  await work?.catch(() => undefined);
};
