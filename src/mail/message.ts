import { escapeHtml } from '../core/html.ts';

/** A file that goes with a message. */
export interface Attachment {
  readonly name: string;
  /** Its media type. */
  readonly type: string;
  readonly content: Buffer;
}

/** A message to one address, ready to be sent. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  /** The address that the reader is to open. Written to the log where no mail server is set, and nowhere else. */
  readonly link?: string;
  readonly attachments?: readonly Attachment[];
}

/** Text on one line: names of people and robots go into subjects and greetings. */
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, 200);

export interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly greeting: string;
  /** Paragraphs before the link, or all of them. */
  readonly paragraphs: readonly string[];
  readonly action?: { readonly label: string; readonly link: string };
  /** Small print after the link. */
  readonly closing?: string;
}

/** A letter as plain text and as HTML that says the same. */
export function letter({ to, subject, greeting, paragraphs, action, closing }: Letter): Mail {
  const text = [greeting, ...paragraphs, ...(action ? [action.link] : []), ...(closing ? [closing] : [])].join('\n\n');
  const paragraph = (content: string) => `<p>${escapeHtml(content).replaceAll('\n', '<br>')}</p>`;
  const button = action
    ? `<p><a href="${escapeHtml(action.link)}" style="display:inline-block;padding:10px 18px;background:#2f6f3e;color:#fff;border-radius:6px;text-decoration:none">${escapeHtml(action.label)}</a></p>
<p style="font-size:13px;word-break:break-all">${escapeHtml(action.link)}</p>`
    : '';
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>
<body style="font-family:sans-serif;font-size:16px;line-height:1.5;max-width:36em;margin:1em auto;padding:0 1em">
${[greeting, ...paragraphs].map(paragraph).join('\n')}
${button}
${closing ? `<p style="font-size:13px">${escapeHtml(closing)}</p>` : ''}
</body></html>
`;
  return { to, subject, text: `${text}\n`, html, ...(action ? { link: action.link } : {}) };
}

/** How often a message is tried: with the pauses of jobs more than half a day, as mail servers that greylist or are down want it. */
export const maxMailAttempts = 8;
