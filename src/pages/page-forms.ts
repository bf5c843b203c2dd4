import { escapeHtml } from '../core/html.ts';
import { weakPasswords } from './weak-passwords.ts';

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly type: 'text' | 'email' | 'password';
  readonly autocomplete: string;
  readonly hint?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  /** The name of the field that must have the same value. */
  readonly same?: string;
  /** Values in lower case of which the page warns; they are accepted. */
  readonly common?: readonly string[];
}

/** The HTML of a field with its label, hint and error message. */
export function field(options: Field): string {
  const { name, label, type, autocomplete, hint, minLength, maxLength = 280, same, common } = options;
  const attributes = [
    `id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" required maxlength="${maxLength}"`,
    `aria-describedby="${hint ? `${name}-hint ` : ''}${name}-problem"`,
    ...(minLength ? [`minlength="${minLength}"`] : []),
    ...(same ? [`data-same="${same}"`] : []),
    ...(common ? [`data-common="${escapeHtml(common.join(' '))}"`] : []),
    ...(type === 'email' ? ['autocapitalize="none" spellcheck="false"'] : []),
  ];
  return `<div class="field"><label for="${name}">${escapeHtml(label)}</label>
<input ${attributes.join(' ')}>
${hint ? `<p class="hint" id="${name}-hint">${escapeHtml(hint)}</p>\n` : ''}${common ? `<p class="hint warning" id="${name}-warning" role="status"></p>\n` : ''}<p class="problem" id="${name}-problem"></p></div>`;
}

export const emailField = field({ name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'username' });

const showPassword =
  '<div class="field"><label class="tick"><input type="checkbox" data-reveal="true"><span>Show password</span></label></div>';

const passwordLength = { minLength: 8, maxLength: 1024 } as const;

export const currentPasswordField = field({
  name: 'password',
  label: 'Password',
  type: 'password',
  autocomplete: 'current-password',
  maxLength: passwordLength.maxLength,
});

/** A new password, twice. */
export const newPasswordFields = [
  field({
    name: 'password',
    label: 'New password',
    type: 'password',
    autocomplete: 'new-password',
    hint: `At least ${passwordLength.minLength} characters. Four or five unrelated words are easy to remember.`,
    common: weakPasswords,
    ...passwordLength,
  }),
  field({
    name: 'password_confirmation',
    label: 'Repeat password',
    type: 'password',
    autocomplete: 'new-password',
    same: 'password',
    maxLength: passwordLength.maxLength,
  }),
  showPassword,
].join('\n');

/** The HTML of a checkbox; `label` is HTML, `alias` the key of its errors in responses. */
export const checkboxField = (name: string, label: string, alias: string): string =>
  `<div class="field"><label class="tick"><input id="${name}" name="${name}" type="checkbox" required data-alias="${alias}" aria-describedby="${name}-problem"><span>${label}</span></label>
<p class="problem" id="${name}-problem"></p></div>`;

/** A form that the page script sends as JSON. */
export interface Form {
  readonly to: string;
  readonly method: 'POST' | 'PUT';
  /** HTML. */
  readonly fields: string;
  readonly button: string;
  /** The key of the object that holds the fields. */
  readonly nest?: 'user';
  /** What follows a success: the id of an element to show instead, or `sign-in`. A response with a session always signs in. */
  readonly leadsTo?: string;
  /** HTML shown with errors of one status. */
  readonly help?: { readonly status: number; readonly content: string };
}

export const form = ({ to, method, fields, button, nest, leadsTo, help }: Form): string =>
  `<form class="card" data-to="${to}" data-method="${method}"${nest ? ` data-nest="${nest}"` : ''}${leadsTo ? ` data-leads-to="${leadsTo}"` : ''}>
${fields}
<button>${escapeHtml(button)}</button>
<p class="message" role="alert"></p>
${help ? `<div data-status="${help.status}" hidden>${help.content}</div>` : ''}
</form>`;

/** The HTML of a button that sends the verification mail again. */
export const resendButton = (id: string): string =>
  `<p class="actions"><button class="quiet" type="button" data-resend="${id}">Resend message</button></p>
<p class="message" id="${id}" role="status"></p>`;
