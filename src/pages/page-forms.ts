import { escapeHtml } from '../core/html.ts';

/** A field of a form on a page. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly type: 'text' | 'email' | 'password';
  readonly autocomplete: string;
  readonly hint?: string;
  /** Characters. */
  readonly least?: number;
  readonly most?: number;
  /** The name of the field that must hold the same. */
  readonly same?: string;
}

/** HTML of a field with its label, its hint, and a place for what is wrong with it. */
export function field({ name, label, type, autocomplete, hint, least, most = 280, same }: Field): string {
  const attributes = [
    `id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" required maxlength="${most}"`,
    `aria-describedby="${hint ? `${name}-hint ` : ''}${name}-problem"`,
    ...(least ? [`minlength="${least}"`] : []),
    ...(same ? [`data-same="${same}"`] : []),
    ...(type === 'email' ? ['autocapitalize="none" spellcheck="false"'] : []),
  ];
  return `<div class="field"><label for="${name}">${escapeHtml(label)}</label>
<input ${attributes.join(' ')}>
${hint ? `<p class="hint" id="${name}-hint">${escapeHtml(hint)}</p>\n` : ''}<p class="problem" id="${name}-problem"></p></div>`;
}

export const emailField = field({ name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'username' });

/** Shows what was typed into the fields for passwords. */
const reveal =
  '<div class="field"><label class="tick"><input type="checkbox" data-reveal="true"><span>Show what I type</span></label></div>';

const passwordLengths = { least: 8, most: 1024 } as const;

export const presentPasswordField = field({
  name: 'password',
  label: 'Password',
  type: 'password',
  autocomplete: 'current-password',
  most: passwordLengths.most,
});

/** A new password, twice. */
export const newPasswordFields = [
  field({
    name: 'password',
    label: 'New password',
    type: 'password',
    autocomplete: 'new-password',
    hint: `At least ${passwordLengths.least} characters. Four or five unrelated words are easy to keep in mind.`,
    ...passwordLengths,
  }),
  field({
    name: 'password_confirmation',
    label: 'The same password again',
    type: 'password',
    autocomplete: 'new-password',
    same: 'password',
    most: passwordLengths.most,
  }),
  reveal,
].join('\n');

/** A box to tick, whose label is HTML. `alias` is the key under which the server tells that it was not. */
export const tickField = (name: string, label: string, alias: string): string =>
  `<div class="field"><label class="tick"><input id="${name}" name="${name}" type="checkbox" required data-alias="${alias}" aria-describedby="${name}-problem"><span>${label}</span></label>
<p class="problem" id="${name}-problem"></p></div>`;

/** A form that the page's script sends as JSON. */
export interface Form {
  readonly to: string;
  readonly method: 'POST' | 'PUT';
  /** HTML. */
  readonly fields: string;
  readonly button: string;
  /** The key of the object that holds the fields. */
  readonly nest?: 'user';
  /** The element that takes its place afterwards, or `sign-in`. An answer with a session signs in anyway. */
  readonly leadsTo?: string;
  /** HTML shown with a failure of one status. */
  readonly help?: { readonly status: number; readonly content: string };
}

/** HTML of a form. */
export const form = ({ to, method, fields, button, nest, leadsTo, help }: Form): string =>
  `<form class="card" data-to="${to}" data-method="${method}"${nest ? ` data-nest="${nest}"` : ''}${leadsTo ? ` data-leads-to="${leadsTo}"` : ''}>
${fields}
<button>${escapeHtml(button)}</button>
<p class="told" role="alert"></p>
${help ? `<div data-status="${help.status}" hidden>${help.content}</div>` : ''}
</form>`;

/** HTML of a button that has the mail with the link to confirm an address sent again. */
export const resendButton = (id: string): string =>
  `<p class="actions"><button class="quiet" type="button" data-resend="${id}">Send the message again</button></p>
<p class="told" id="${id}" role="status"></p>`;
