import { escapeHtml } from '../core/html.ts';
import { weakPasswords } from './weak-passwords.ts';

export interface Field {
  readonly name: string;
  /** The id of the element, where a page has several fields of the name. */
  readonly id?: string;
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
  /** May be empty. */
  readonly isOptional?: boolean;
  /** Must differ from the value that the page loaded. */
  readonly mustChange?: boolean;
}

/** The HTML of a field with its label, hint and error message. */
export function field(options: Field): string {
  const { name, id = name, label, type, autocomplete, hint, minLength, maxLength = 280, same, common } = options;
  const attributes = [
    `id="${id}" name="${name}" type="${type}" autocomplete="${autocomplete}"${options.isOptional ? '' : ' required'} maxlength="${maxLength}"`,
    `aria-describedby="${hint ? `${id}-hint ` : ''}${id}-problem"`,
    ...(minLength ? [`minlength="${minLength}"`] : []),
    ...(same ? [`data-same="${same}"`] : []),
    ...(common ? [`data-common="${escapeHtml(common.join(' '))}"`] : []),
    ...(options.mustChange ? ['data-must-change="true"'] : []),
    ...(type === 'email' ? ['autocapitalize="none" spellcheck="false"'] : []),
  ];
  return `<div class="field"><label for="${id}">${escapeHtml(label)}</label>
<input ${attributes.join(' ')}>
${hint ? `<p class="hint" id="${id}-hint">${escapeHtml(hint)}</p>\n` : ''}${common ? `<p class="hint warning" id="${id}-warning" role="status"></p>\n` : ''}<p class="problem" id="${id}-problem"></p></div>`;
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** The HTML of a field with a list of choices; without `choices`, the page's script fills it. */
export const selectField = (name: string, label: string, choices: readonly Choice[] = [], hint = ''): string =>
  `<div class="field"><label for="${name}">${escapeHtml(label)}</label>
<select id="${name}" name="${name}" required aria-describedby="${hint ? `${name}-hint ` : ''}${name}-problem">
${choices.map(({ value, label: text }) => `<option value="${escapeHtml(value)}">${escapeHtml(text)}</option>`).join('\n')}
</select>
${hint ? `<p class="hint" id="${name}-hint">${escapeHtml(hint)}</p>\n` : ''}<p class="problem" id="${name}-problem"></p></div>`;

export const emailField = field({ name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'username' });

const showPassword =
  '<div class="field"><label class="tick"><input type="checkbox" data-reveal="true"><span>Show password</span></label></div>';

const passwordLength = { minLength: 8, maxLength: 1024 } as const;

/** The current password of the account; `id` where a page has several. */
export const currentPassword = (id: string, label: string): string =>
  field({
    ...{ name: 'password', id, label, type: 'password', autocomplete: 'current-password' },
    maxLength: passwordLength.maxLength,
  });

export const currentPasswordField = currentPassword('password', 'Password');

/** The HTML of a new password, twice. `prefix` begins the names of both fields. */
export const newPassword = (label: string, prefix = ''): string =>
  [
    field({
      name: `${prefix}password`,
      label,
      type: 'password',
      autocomplete: 'new-password',
      hint: `At least ${passwordLength.minLength} characters. Four or five unrelated words are easy to remember.`,
      common: weakPasswords,
      ...passwordLength,
    }),
    field({
      name: `${prefix}password_confirmation`,
      label: 'Repeat password',
      type: 'password',
      autocomplete: 'new-password',
      same: `${prefix}password`,
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
  readonly method: 'POST' | 'PUT' | 'PATCH';
  /** HTML before the fields. */
  readonly intro?: string;
  /** HTML. */
  readonly fields: string;
  readonly button: string;
  /** Something else on the page is more important. */
  readonly isSecondary?: boolean;
  /** Shown to visitors only. */
  readonly isForVisitors?: boolean;
  readonly id?: string;
  /** Sent with the token of the session. */
  readonly isSignedIn?: boolean;
  /** The key of the object that holds the fields. */
  readonly nest?: 'user';
  /** What follows a success: the id of an element to show instead, or `sign-in`. A response with a session always signs in. */
  readonly leadsTo?: string;
  /** The message after a success; by default that of the response. */
  readonly done?: string;
  /** HTML shown below the form with errors of one status. */
  readonly help?: { readonly status: number; readonly content: string };
}

export function form({ to, method, fields, button, ...options }: Form): string {
  const {
    id,
    intro = '',
    nest,
    leadsTo,
    done,
    help,
    isSignedIn = false,
    isSecondary = false,
    isForVisitors = false,
  } = options;
  const attributes = [
    ...(id ? [`id="${id}"`] : []),
    `class="card${isForVisitors ? ' when-out' : ''}" data-to="${to}" data-method="${method}"`,
    ...(isSignedIn ? ['data-signed-in="true"'] : []),
    ...(nest ? [`data-nest="${nest}"`] : []),
    ...(leadsTo ? [`data-leads-to="${leadsTo}"`] : []),
    ...(done ? [`data-done="${escapeHtml(done)}"`] : []),
  ];
  return `<form ${attributes.join(' ')}>
${intro}${fields}
<button${isSecondary ? ' class="quiet"' : ''}>${escapeHtml(button)}</button>
<p class="message" role="alert"></p>
</form>${help ? `\n<div data-status="${help.status}" hidden>${help.content}</div>` : ''}`;
}

/** The HTML of a button that sends the verification mail again. */
export const resendButton = (id: string): string =>
  `<p class="actions"><button class="quiet" type="button" data-resend="${id}">Resend message</button></p>
<p class="message" id="${id}" role="status"></p>`;
