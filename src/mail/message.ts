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

/** Returns the salutations of a language. */
export const salutationsIn = catalogIn({ en, fr });

export interface MailContent {
  readonly recipient: Recipient;
  readonly subject: string;
  readonly greeting: string;
  /** Paragraphs before the link. */
  readonly paragraphs: readonly string[];
  readonly action?: { readonly label: string; readonly link: string };
  /** Small print after the link. */
  readonly closing?: string;
}

/** Renders a message as plain text and HTML. */
export function renderMail({ recipient, subject, greeting, paragraphs, action, closing }: MailContent): Mail {
  const text = [greeting, ...paragraphs, ...(action ? [action.link] : []), ...(closing ? [closing] : [])].join('\n\n');
  const paragraph = (content: string) => `<p>${escapeHtml(content).replaceAll('\n', '<br>')}</p>`;
  const button = action
    ? `<p><a href="${escapeHtml(action.link)}" style="display:inline-block;padding:10px 18px;background:#2f6f3e;color:#fff;border-radius:6px;text-decoration:none">${escapeHtml(action.label)}</a></p>
<p style="font-size:13px;word-break:break-all">${escapeHtml(action.link)}</p>`
    : '';
  const html = `<!doctype html>
<html lang="${recipient.language}"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>
<body style="font-family:sans-serif;font-size:16px;line-height:1.5;max-width:36em;margin:1em auto;padding:0 1em">
${[greeting, ...paragraphs].map(paragraph).join('\n')}
${button}
${closing ? `<p style="font-size:13px">${escapeHtml(closing)}</p>` : ''}
</body></html>
`;
  return { ...recipient, subject, text: `${text}\n`, html, ...(action ? { link: action.link } : {}) };
}

/** Attempts to send a message, spread over more than half a day for mail servers that greylist or are down. */
export const maxMailAttempts = 8;
