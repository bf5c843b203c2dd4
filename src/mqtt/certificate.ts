import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { SecureContext } from 'node:tls';
import { createSecureContext } from 'node:tls';
import type { Logger } from '../core/logger.ts';
import { errorCodeText } from '../core/system.ts';

/** Paths of a certificate and its private key, as PEM. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** A certificate that is reloaded when its files change, as they do when it is renewed. */
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

  /** Reads the files. Rejects with a readable message when they cannot be used. */
  static async read(files: CertificateFiles, log: Logger): Promise<Certificate> {
    const version = await fileVersion(files);
    return new Certificate(files, log, await loadContext(files), version);
  }

  /** The context for new connections. */
  get context(): SecureContext {
    return this.#context;
  }

  /** Checks the files every `interval` ms. */
  watch(interval: number): void {
    this.#timer = setInterval(() => void this.refresh(), interval).unref();
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Reloads the files if they changed. If they cannot be used, logs it once and keeps the old certificate. */
  async refresh(): Promise<void> {
    try {
      const version = await fileVersion(this.#files);
      if (version === this.#version) return;
      this.#version = version;
      this.#context = await loadContext(this.#files);
      this.#log.info({}, 'the certificate was reloaded');
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#log.warn({ reason }, 'the new certificate cannot be used; the old one stays in use');
    }
  }
}

/** Returns a value that changes when a file does; a missing file has one, too. */
async function fileVersion({ cert, key }: CertificateFiles): Promise<string> {
  const versions = await Promise.all(
    [cert, key].map(async (path) => {
      const found = await stat(path).catch(() => null);
      return found ? `${found.ino} ${found.size} ${found.mtimeMs}` : 'missing';
    }),
  );
  return versions.join(' ');
}

async function loadContext({ cert, key }: CertificateFiles): Promise<SecureContext> {
  const [certText, keyText] = await Promise.all([readPem('TLS_CERT', cert), readPem('TLS_KEY', key)]);
  try {
    return createSecureContext({ cert: certText, key: keyText, minVersion: 'TLSv1.2' });
  } catch (error) {
    throw new Error(`TLS_CERT and TLS_KEY are not a certificate and its key in PEM format (${errorCodeText(error)}).`);
  }
}

/** Reads a PEM file. Throws an Error that names the setting and the file. */
async function readPem(setting: 'TLS_CERT' | 'TLS_KEY', path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new Error(`${setting}: ${path} cannot be read (${errorCodeText(error)}).`);
  }
}

export interface CertificateCheck extends CertificateFiles {
  /** The host that clients connect to; null: unknown. */
  readonly host: string | null;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const day = 86_400_000;
/** Time before its end, in ms, from which on a certificate should have been renewed: a quarter of its time, for some are valid for hours. */
const renewalTime = (validity: number): number => Math.min(14 * day, validity / 4);
/** The same from which on its renewal has failed. */
const lastTime = (validity: number): number => Math.min(3 * day, validity / 12);

/** Checks a certificate and describes its validity; as a note, if it should have been renewed. Throws an Error with the problem, also if it is about to end. */
export async function checkCertificate({
  cert,
  key,
  host,
  now,
}: CertificateCheck): Promise<string | { readonly note: string }> {
  const certificate = await parsePem('TLS_CERT', cert, 'a certificate', (text) => new X509Certificate(text));
  const privateKey = await parsePem('TLS_KEY', key, 'a private key without a passphrase', createPrivateKey);
  if (!certificate.checkPrivateKey(privateKey)) throw new Error('TLS_KEY is not the private key of TLS_CERT.');
  const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
  if (now < from) throw new Error(`The certificate in ${cert} is not valid before ${dateOf(from)}.`);
  if (now >= to) throw new Error(`The certificate in ${cert} expired on ${dateOf(to)}.`);
  if (host !== null && !coversHost(certificate, host))
    throw new Error(
      `The certificate in ${cert} is not valid for ${host}, which clients connect to, but for ${hostNames(certificate)}.`,
    );
  const [left, validity] = [to - now, to - from];
  const about = `The certificate in ${cert} ${host === null ? '' : `is for ${host} and `}`;
  if (left >= renewalTime(validity)) return `${about}is valid until ${dateOf(to)}.`;
  const end = `${about}expires in ${timeText(left)}, on ${dateOf(to)}, and was not renewed: renew it, and find out why that did not happen by itself.`;
  if (left < lastTime(validity)) throw new Error(end);
  return { note: end };
}

function timeText(ms: number): string {
  const hours = Math.floor(ms / (day / 24));
  if (hours < 2) return hours === 0 ? 'less than an hour' : '1 hour';
  return hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`;
}

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const coversHost = (certificate: X509Certificate, host: string): boolean =>
  (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined;

/** Returns the alternative names, at most five: some certificates have hundreds. */
function hostNames({ subjectAltName, subject }: X509Certificate): string {
  const names = (subjectAltName ?? subject).split(/, |\n/).map((name) => name.replace(/^[\w ]+[:=]/, ''));
  return names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ');
}

async function parsePem<T>(
  setting: 'TLS_CERT' | 'TLS_KEY',
  path: string,
  content: string,
  parse: (text: string) => T,
): Promise<T> {
  const text = await readPem(setting, path);
  try {
    return parse(text);
  } catch {
    throw new Error(`${setting}: ${path} does not contain ${content} in PEM format.`);
  }
}
