import { catalogIn } from '../core/catalog.ts';
import { escapeHtml } from '../core/html.ts';
import type { Language } from '../core/languages.ts';

/** A file attached to a message. */
export interface Attachment {
  readonly name: string;
  /** Media type. */
  readonly type: string;
  readonly content: Buffer;
}

/** To whom a message goes, and in which language. */
export interface Recipient {
  readonly to: string;
  readonly language: Language;
}

/** A message to one address. */
export interface Mail extends Recipient {
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  /** The URL that the recipient should open. Logged only where no mail server is configured. */
  readonly link?: string;
  readonly attachments?: readonly Attachment[];
}

/** Returns text on one line, for names in subjects and greetings. */
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, 200);

const en = { hello: 'Hello,', helloTo: (name: string) => `Hello ${oneLine(name)},` };
const fr: typeof en = { hello: 'Bonjour,', helloTo: (name) => `Bonjour ${oneLine(name)},` };

const salutationsIn = catalogIn({ en, fr });

/** The texts of a message, in the language of its recipient. */
interface MailTexts {
  readonly subject: string;
  /** By default a salutation, with the name if there is one. */
  readonly greeting?: string;
  /** Paragraphs before the link. */
  readonly paragraphs: readonly string[];
  /** The label of the link. */
  readonly action?: string;
  /** Small print after the link. */
  readonly closing?: string;
}

/** Renders a message as plain text and HTML. `name`: the recipient's. */
export function renderMail(
  recipient: Recipient,
  { subject, greeting, paragraphs, action, closing }: MailTexts,
  { name, link }: { readonly name?: string; readonly link?: string } = {},
): Mail {
  const { hello, helloTo } = salutationsIn(recipient.language);
  const beginning = [greeting ?? (name === undefined ? hello : helloTo(name)), ...paragraphs];
  const text = [...beginning, ...(link ? [link] : []), ...(closing ? [closing] : [])].join('\n\n');
  const paragraph = (content: string) => `<p>${escapeHtml(content).replaceAll('\n', '<br>')}</p>`;
  const button = link
    ? `<p><a href="${escapeHtml(link)}" style="display:inline-block;padding:10px 18px;background:#2f6f3e;color:#fff;border-radius:6px;text-decoration:none">${escapeHtml(action ?? link)}</a></p>
<p style="font-size:13px;word-break:break-all">${escapeHtml(link)}</p>`
    : '';
  const html = `<!doctype html>
<html lang="${recipient.language}"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>
<body style="font-family:sans-serif;font-size:16px;line-height:1.5;max-width:36em;margin:1em auto;padding:0 1em">
${beginning.map(paragraph).join('\n')}
${button}
${closing ? `<p style="font-size:13px">${escapeHtml(closing)}</p>` : ''}
</body></html>
`;
  return { ...recipient, subject, text: `${text}\n`, html, ...(link ? { link } : {}) };
}

/** Attempts to send a message, spread over more than half a day for mail servers that greylist or are down. */
export const maxMailAttempts = 8;
