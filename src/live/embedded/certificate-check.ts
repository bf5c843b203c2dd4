import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

export interface CertificateExamination {
  /** Paths of PEM files. */
  readonly cert: string;
  readonly key: string;
  /** The host that robots dial; null: nobody knows. */
  readonly host: string | null;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const day = 86_400_000;
/** So many days before its end a certificate should be renewed. */
const renewalDays = 14;

/** Looks at the certificate for encrypted connections and says what is to be known of it. Throws an Error whose message says what is wrong. */
export async function checkCertificate({ cert, key, host, now }: CertificateExamination): Promise<string> {
  const certificate = await parsed('TLS_CERT', cert, 'a certificate (PEM)', (text) => new X509Certificate(text));
  const secret = await parsed('TLS_KEY', key, 'a private key (PEM) without a passphrase', createPrivateKey);
  if (!certificate.checkPrivateKey(secret)) throw new Error('TLS_KEY is not the private key of TLS_CERT.');
  const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
  if (now < from) throw new Error(`The certificate in ${cert} is valid only from ${dateOf(from)} on.`);
  if (now >= to) throw new Error(`The certificate in ${cert} expired on ${dateOf(to)}.`);
  if (host !== null && !covers(certificate, host))
    throw new Error(
      `The certificate in ${cert} is not for ${host}, which robots dial, but for ${namesOf(certificate)}.`,
    );
  const days = Math.floor((to - now) / day);
  const end =
    days < renewalDays ? `expires in ${days} days, on ${dateOf(to)}: renew it` : `is valid until ${dateOf(to)}`;
  return `The certificate in ${cert} ${host === null ? '' : `is for ${host} and `}${end}.`;
}

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const covers = (certificate: X509Certificate, host: string): boolean =>
  (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined;

/** What stands there as alternative names; some have hundreds. */
function namesOf({ subjectAltName, subject }: X509Certificate): string {
  const names = (subjectAltName ?? subject).split(/, |\n/).map((name) => name.replace(/^[\w ]+[:=]/, ''));
  return names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ');
}

async function parsed<T>(setting: string, file: string, what: string, parse: (text: string) => T): Promise<T> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown trouble';
    throw new Error(`${setting} names ${file}, which cannot be read (${code}).`);
  }
  try {
    return parse(text);
  } catch {
    throw new Error(`${setting} names ${file}, which does not hold ${what}.`);
  }
}
