import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';
import { Failure } from '../core/errors.ts';
import type { Message } from '../core/message.ts';
import { say } from './messages.ts';

/** Robots send seven fields of less than a hundred bytes. [rule F8] */
const maxParts = 20;
/** Bytes. */
const maxFieldSize = 2000;
/** Bytes of the headers of a part. */
const maxHeadersSize = 4096;
/** Bytes of everything but the file. */
const maxOverhead = 64 * 1024;

const badRequest = (message: Message) => new Failure('bad_request', message);
const malformedForm = say.malformedForm;

/** Reads the file; `fields`: the fields sent before it. */
export type FileReader = (content: Readable, fields: ReadonlyMap<string, string>) => Promise<void>;

/**
 * Reads an upload form as a stream and returns its fields, the first of repeated ones. `maxBytes`: of the file. Throws 400, 413
 * and errors of `readFile`, without reading the rest.
 */
export async function readUploadForm(
  content: Readable,
  contentType: string | undefined,
  maxBytes: number,
  readFile: FileReader,
): Promise<ReadonlyMap<string, string>> {
  const form = parser(contentType);
  const fields = new Map<string, string>();
  let file: Readable | null = null;
  let reading: Promise<void> | null = null;
  let reason: unknown = null;
  const stop = (error: unknown): void => {
    reason ??= error;
    form.destroy(reason instanceof Error ? reason : undefined);
  };
  form.on('field', (name, value, _nameIsCut, valueIsCut) => {
    if (valueIsCut) stop(badRequest(say.longField));
    else if (!fields.has(name)) fields.set(name, value);
  });
  form.on('file', (name, stream) => {
    // An unhandled stream error would end the process.
    stream.on('error', () => undefined);
    if (name !== 'file') {
      stream.resume();
      return;
    }
    file = stream;
    reading = readFile(stream, fields);
    reading.catch(stop);
  });
  for (const event of ['partsLimit', 'fieldsLimit', 'filesLimit'] as const)
    form.on(event, () => stop(badRequest(say.manyParts)));
  try {
    await pipeline(limited(content, maxBytes + maxOverhead), form);
    await reading;
    return fields;
  } catch (error) {
    const thrown = reason ?? (error instanceof Failure ? error : badRequest(malformedForm));
    destroy(file);
    await settled(reading);
    throw thrown;
  }
}

function parser(contentType: string | undefined) {
  if (!/^multipart\/form-data\s*;/i.test(contentType ?? '')) throw badRequest(malformedForm);
  try {
    return new Busboy({
      headers: { 'content-type': contentType ?? '' },
      // A part with another type than text is a file even without a name.
      isPartAFile: (_field, type, name) => name !== undefined || (type !== undefined && !type.startsWith('text/')),
      limits: {
        fields: maxParts,
        files: 1,
        parts: maxParts,
        fieldSize: maxFieldSize,
        headerPairs: maxParts,
        headerSize: maxHeadersSize,
      },
    });
  } catch {
    throw badRequest(malformedForm);
  }
}

async function* limited(content: Readable, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of content as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new Failure('body_too_large', say.uploadTooLarge);
    yield chunk;
  }
}

const destroy = (stream: Readable | null): void => {
  stream?.destroy(new Error('upload aborted'));
};

const settled = async (work: Promise<void> | null): Promise<void> => {
  await work?.catch(() => undefined);
};
