import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import PostalMime from 'postal-mime';

/** A message that the server wrote into its outbox, decoded. */
export interface Mail {
  readonly file: string;
  /** All recipients, in lower case. */
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The file as it is. */
  readonly source: string;
}

/** The folder where a server without SMTP_URL puts its mail. Each file is read once, however many tests wait for theirs. */
export class Outbox {
  readonly folder: string;
  readonly #read = new Set<string>();
  readonly #byRecipient = new Map<string, Mail[]>();
  #scan: Promise<void> | null = null;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Every mail to an address so far, oldest file name first. */
  async mailsTo(address: string): Promise<readonly Mail[]> {
    // Waiting tests share one look at the folder.
    this.#scan ??= this.#look().finally(() => {
      this.#scan = null;
    });
    await this.#scan;
    return this.#byRecipient.get(address.toLowerCase()) ?? [];
  }

  /** The first mail to `address` for which `fits` holds. Throws when none comes in `seconds`. */
  async mailTo(address: string, fits: (mail: Mail) => boolean = () => true, seconds = 10): Promise<Mail> {
    const end = Date.now() + seconds * 1000;
    for (;;) {
      const found = (await this.mailsTo(address)).find(fits);
      if (found) return found;
      if (Date.now() > end) throw new Error(`no such mail to ${address} in ${seconds} s`);
      await sleep(20);
    }
  }

  /** The address in a mail to `address` whose path begins with `/kind/` (`verify`, `password_reset`). Throws when none comes. */
  async linkTo(address: string, kind: string): Promise<URL> {
    const pattern = new RegExp(`https?://[^\\s"<>]+/${kind}/[^\\s"<>]+`);
    const mail = await this.mailTo(address, (each) => pattern.test(each.text));
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
