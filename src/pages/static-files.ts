import { open, realpath, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import { errorCode } from '../core/system.ts';
import { acceptedEncodings, type Encoding, isCompressible } from '../engine/content-encoding.ts';
import { matchesTag } from '../engine/entity-tag.ts';
import type { Call } from '../engine/route.ts';
import { Reply, StreamedReply } from '../engine/route.ts';
import { CompressedFiles, type FileState } from './compressed-files.ts';
import { cachedForever, fileType, isHashed } from './file-types.ts';

const maxPathLength = 1024;
/** A compressed file that is older than its original by more ms belongs to an earlier build; copying a folder may take less. */
const maxAgeDifference = 60_000;

interface FoundFile extends FileState {
  /** In ms, rounded down to seconds as in headers. */
  readonly modified: number;
}

/** Suffixes of precompressed files. */
const suffixes: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' };

/** Serves the files of one folder, precompressed or compressed on demand. No files outside of it, no dotfiles, no listings. [ADR 21] */
export class StaticFiles {
  /** Symbolic links resolved. */
  readonly #root: string;
  readonly #headers: (call: Call, type: string) => Readonly<Record<string, string>>;
  readonly #compressed = new CompressedFiles();

  private constructor(root: string, headers: StaticFiles['headersOf']) {
    this.#root = root;
    this.#headers = headers;
  }

  /** `headers` returns further headers for a content type. Throws when there is no such folder. */
  static async open(folder: string, headers: StaticFiles['headersOf']): Promise<StaticFiles> {
    return new StaticFiles(await realpath(folder), headers);
  }

  /** The reply for a decoded path, `assets/dist/a.js`; null if there is no such file. */
  async reply(call: Call, path: string): Promise<Reply | StreamedReply | null> {
    const file = await this.#find(path);
    if (!file) return null;
    const type = fileType(path);
    const headers: Record<string, string> = {
      ...this.headersOf(call, type),
      'cache-control': isHashed(basename(path)) ? cachedForever : 'public, no-cache',
      etag: file.tag,
      'last-modified': new Date(file.modified).toUTCString(),
      ...(isCompressible(type) && { vary: 'accept-encoding' }),
    };
    if (isNotModified(call, file)) return new Reply('', type, 304, headers);
    for (const encoding of isCompressible(type) ? acceptedEncodings(call) : []) {
      const encoded = { ...headers, 'content-encoding': encoding };
      const sibling = await this.#find(`${path}${suffixes[encoding]}`);
      if (sibling && sibling.modified + maxAgeDifference >= file.modified) return stream(sibling, type, encoded);
      // Source maps are large and rarely requested.
      if (path.endsWith('.map')) continue;
      const bytes = await this.#compressed.compress(file, encoding);
      if (bytes) return new StreamedReply(Readable.from([bytes]), type, { headers: encoded, length: bytes.length });
    }
    return stream(file, type, headers);
  }

  /** Whether there is such a file. */
  async has(path: string): Promise<boolean> {
    return (await this.#find(path)) !== null;
  }

  headersOf(call: Call, type: string): Readonly<Record<string, string>> {
    return this.#headers(call, type);
  }

  async #find(path: string): Promise<FoundFile | null> {
    if (path.length > maxPathLength || !path.split('/').every(isPlainName)) return null;
    try {
      const real = await realpath(join(this.#root, path));
      // Symbolic links may lead to files that are served themselves.
      const inside = relative(this.#root, real);
      if (!inside.split(sep).every(isPlainName)) return null;
      const found = await stat(real);
      if (!found.isFile()) return null;
      const { size, mtimeMs } = found;
      const tag = `W/"${size.toString(36)}-${Math.floor(mtimeMs).toString(36)}"`;
      return { path: real, size, tag, modified: Math.floor(mtimeMs / 1000) * 1000 };
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }
}

/** Whether a path segment is a plain name. */
const isPlainName = (part: string): boolean => part !== '' && !part.startsWith('.') && !/[\\\0:]/.test(part);

/** Whether an error means that there is no such readable file. */
const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'EACCES'].includes(String(errorCode(error)));

async function stream(
  { path, size }: FoundFile,
  type: string,
  headers: Readonly<Record<string, string>>,
): Promise<Reply | StreamedReply> {
  if (size === 0) return new Reply('', type, 200, headers);
  const file = await open(path);
  return new StreamedReply(file.createReadStream({ end: size - 1 }), type, { headers, length: size });
}

/** Whether the client's copy is current. `If-None-Match` takes precedence over `If-Modified-Since`. */
function isNotModified(call: Call, { tag, modified }: FoundFile): boolean {
  const since = Date.parse(String(call.headers['if-modified-since'] ?? ''));
  return matchesTag(call, tag) ?? since >= modified;
}
