import { open, realpath, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import type { Call } from '../engine/route.ts';
import { Reply, StreamedReply } from '../engine/route.ts';
import { CompressedFiles, type Encoding, encodings, type FileState } from './compressed-files.ts';
import { fileType, isCompressible, isHashed, keptForGood } from './file-types.ts';

const longestPath = 1024;
/** A compressed file that is older than its original by more, in ms, was left by an earlier build. Less is the time that copying a folder takes. */
const copyTime = 60_000;

interface FoundFile extends FileState {
  /** Whole seconds, in ms: headers know no smaller unit. */
  readonly changedAt: number;
}

/** How files made by others lie beside the originals. */
const suffixes: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' };

/** The files of one folder, for browsers. Nothing outside of it, no dotfiles, no listings. */
export class StaticFiles {
  /** Without symbolic links. */
  readonly #root: string;
  readonly #headers: (call: Call, type: string) => Readonly<Record<string, string>>;
  readonly #compressed = new CompressedFiles();

  private constructor(root: string, headers: StaticFiles['headersOf']) {
    this.#root = root;
    this.#headers = headers;
  }

  /** `headers` gives further headers for content of a type. Throws when there is no such folder. */
  static async open(folder: string, headers: StaticFiles['headersOf']): Promise<StaticFiles> {
    return new StaticFiles(await realpath(folder), headers);
  }

  /** The file at a decoded path, `assets/dist/a.js`; null where there is none that may be seen. */
  async answer(call: Call, path: string): Promise<Reply | StreamedReply | null> {
    const file = await this.#find(path);
    if (!file) return null;
    const type = fileType(path);
    const headers: Record<string, string> = {
      ...this.headersOf(call, type),
      'cache-control': isHashed(basename(path)) ? keptForGood : 'public, no-cache',
      etag: file.tag,
      'last-modified': new Date(file.changedAt).toUTCString(),
      ...(isCompressible(type) && { vary: 'accept-encoding' }),
    };
    if (isUnchanged(call, file)) return new Reply('', type, 304, headers);
    for (const encoding of isCompressible(type) ? accepted(call) : []) {
      const encoded = { ...headers, 'content-encoding': encoding };
      const sibling = await this.#find(`${path}${suffixes[encoding]}`);
      if (sibling && sibling.changedAt + copyTime >= file.changedAt) return streamed(sibling, type, encoded);
      // Only people who look into the app's insides ask for those, and they are the biggest files of all.
      if (path.endsWith('.map')) continue;
      const bytes = await this.#compressed.of(file, encoding);
      if (bytes) return new StreamedReply(Readable.from([bytes]), type, { headers: encoded, length: bytes.length });
    }
    return streamed(file, type, headers);
  }

  /** Whether there is such a file. */
  async has(path: string): Promise<boolean> {
    return (await this.#find(path)) !== null;
  }

  headersOf(call: Call, type: string): Readonly<Record<string, string>> {
    return this.#headers(call, type);
  }

  async #find(path: string): Promise<FoundFile | null> {
    if (path.length > longestPath || !path.split('/').every(isPlain)) return null;
    try {
      const real = await realpath(join(this.#root, path));
      // Links may lead anywhere within the folder, to what may be seen there.
      const inside = relative(this.#root, real);
      if (!inside.split(sep).every(isPlain)) return null;
      const found = await stat(real);
      if (!found.isFile()) return null;
      const { size, mtimeMs } = found;
      const tag = `W/"${size.toString(36)}-${Math.floor(mtimeMs).toString(36)}"`;
      return { path: real, size, tag, changedAt: Math.floor(mtimeMs / 1000) * 1000 };
    } catch (error) {
      if (isAbsence(error)) return null;
      throw error;
    }
  }
}

/** A part of a path that is a name and nothing else. */
const isPlain = (part: string): boolean => part !== '' && !part.startsWith('.') && !/[\\\0:]/.test(part);

/** There is no such file, or none that may be read. */
const isAbsence = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'EACCES'].includes(String(error.code));

async function streamed(
  { path, size }: FoundFile,
  type: string,
  headers: Readonly<Record<string, string>>,
): Promise<Reply | StreamedReply> {
  if (size === 0) return new Reply('', type, 200, headers);
  const file = await open(path);
  return new StreamedReply(file.createReadStream({ end: size - 1 }), type, { headers, length: size });
}

/** Whether the browser's copy is still right. A tag counts more than a time. */
function isUnchanged({ headers }: Call, { tag, changedAt }: FoundFile): boolean {
  const tags = headers['if-none-match'];
  if (typeof tags === 'string')
    return tags
      .split(',')
      .map((one) => one.trim().replace(/^W\//, ''))
      .some((one) => one === '*' || `W/${one}` === tag);
  const since = Date.parse(String(headers['if-modified-since'] ?? ''));
  return since >= changedAt;
}

/** The encodings that a client takes. */
function accepted({ headers }: Call): readonly Encoding[] {
  const sent = String(headers['accept-encoding'] ?? '').toLowerCase();
  const taken = sent
    .split(',')
    .map((one) => one.trim().split(/\s*;\s*/))
    .filter(([, quality]) => !/^q=0(?:\.0*)?$/.test(quality ?? ''))
    .map(([name]) => name);
  return encodings.filter((encoding) => taken.includes(encoding));
}
