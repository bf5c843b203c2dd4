import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import PostalMime from 'postal-mime';

/** A decoded message of the server's outbox. */
export interface Mail {
  readonly file: string;
  /** Recipients in lower case. */
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The source of the message. */
  readonly source: string;
}

/** The folder to which a server without SMTP_URL writes mail. Each file is read once, however many tests wait. */
export class Outbox {
  readonly folder: string;
  readonly #read = new Set<string>();
  readonly #byRecipient = new Map<string, Mail[]>();
  #scan: Promise<void> | null = null;
  #pause: Promise<void> | null = null;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Returns the mails to an address so far, by file name. */
  async mailsTo(address: string): Promise<readonly Mail[]> {
    // Concurrent tests share a scan of the folder.
    this.#scan ??= this.#look().finally(() => {
      this.#scan = null;
    });
    await this.#scan;
    return this.#byRecipient.get(address.toLowerCase()) ?? [];
  }

  /** Waits for the first mail to `address` that `fits` accepts. Throws after `seconds`: a busy machine can take half a minute. */
  async mailTo(address: string, fits: (mail: Mail) => boolean = () => true, seconds = 120): Promise<Mail> {
    const end = Date.now() + seconds * 1000;
    for (;;) {
      const found = (await this.mailsTo(address)).find(fits);
      if (found) return found;
      if (Date.now() > end) throw new Error(`no such mail to ${address} in ${seconds} s`);
      // The same for all waiting callers, so that they share the next scan too.
      this.#pause ??= sleep(20).finally(() => {
        this.#pause = null;
      });
      await this.#pause;
    }
  }

  /** Waits for a mail to `address` with a link whose path starts with `/kind/` (`verify`, `password_reset`), and returns the link, which is not `before`. */
  async linkTo(address: string, kind: string, before?: URL): Promise<URL> {
    const pattern = new RegExp(`https?://[^\\s"<>]+/${kind}/[^\\s"<>]+`);
    const mail = await this.mailTo(
      address,
      (each) => ![undefined, before?.href].includes(pattern.exec(each.text)?.[0]),
    );
    return new URL(pattern.exec(mail.text)?.[0] ?? '');
  }

  async #look(): Promise<void> {
    const files = await readdir(this.folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    for (const file of files.sort()) {
      if (!file.endsWith('.eml') || this.#read.has(file)) continue;
      this.#read.add(file);
      const mail = await readMail(this.folder, file);
      for (const address of mail.to) {
        const mails = this.#byRecipient.get(address) ?? [];
        mails.push(mail);
        this.#byRecipient.set(address, mails);
      }
    }
  }
}

async function readMail(folder: string, file: string): Promise<Mail> {
  const bytes = await readFile(join(folder, file));
  const parsed = await PostalMime.parse(bytes);
  const to = (parsed.to ?? []).flatMap((each) => (each.address ? [each.address.toLowerCase()] : []));
  const { subject = '', text = '', html = '' } = parsed;
  return { file, to, subject, text, html, source: bytes.toString('latin1') };
}
