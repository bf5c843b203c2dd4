import { readFile, stat } from 'node:fs/promises';
import type { SecureContext } from 'node:tls';
import { createSecureContext } from 'node:tls';
import type { Logger } from '../../core/logger.ts';

/** Where a certificate and its key lie, as PEM. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** A certificate that is read again when its files change, as those do that renew themselves. */
export class Certificate {
  readonly #files: CertificateFiles;
  readonly #log: Logger;
  #context: SecureContext;
  #version: string;
  #timer: NodeJS.Timeout | null = null;

  private constructor(files: CertificateFiles, log: Logger, context: SecureContext, version: string) {
    this.#files = files;
    this.#log = log;
    this.#context = context;
    this.#version = version;
  }

  /** Reads the files. Rejects with a sentence when they cannot be used. */
  static async read(files: CertificateFiles, log: Logger): Promise<Certificate> {
    const version = await versionOf(files);
    return new Certificate(files, log, await contextOf(files), version);
  }

  /** The certificate for the next connection. */
  get context(): SecureContext {
    return this.#context;
  }

  /** Looks every so many milliseconds whether the files changed. */
  watch(every: number): void {
    this.#timer = setInterval(() => void this.refresh(), every).unref();
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Reads the files if they changed; what cannot be used is told once, and the old certificate stays. */
  async refresh(): Promise<void> {
    try {
      const version = await versionOf(this.#files);
      if (version === this.#version) return;
      this.#version = version;
      this.#context = await contextOf(this.#files);
      this.#log.info({}, 'the certificate was read again');
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#log.warn({ reason }, 'the new certificate cannot be used; the old one stays');
    }
  }
}

/** Changes when a file does; a missing one is a version too. */
async function versionOf({ cert, key }: CertificateFiles): Promise<string> {
  const versions = await Promise.all(
    [cert, key].map(async (path) => {
      const found = await stat(path).catch(() => null);
      return found ? `${found.ino} ${found.size} ${found.mtimeMs}` : 'missing';
    }),
  );
  return versions.join(' ');
}

async function contextOf({ cert, key }: CertificateFiles): Promise<SecureContext> {
  const [certText, keyText] = await Promise.all([textOf('TLS_CERT', cert), textOf('TLS_KEY', key)]);
  try {
    return createSecureContext({ cert: certText, key: keyText, minVersion: 'TLSv1.2' });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    throw new Error(`TLS_CERT and TLS_KEY are not a certificate and its key in PEM form${code}.`);
  }
}

async function textOf(setting: string, path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    throw new Error(`The file that ${setting} names cannot be read${code}.`);
  }
}
