import { escapeHtml } from '../core/html.ts';
import type { ServerScope } from '../db/scope.ts';
import type { Call, Reply } from '../engine/route.ts';
import { noticePage, page } from './page.ts';
import type { Choice } from './page-forms.ts';
import {
  checkboxField,
  currentPasswordField,
  emailField,
  field,
  form,
  newPassword,
  resendButton,
} from './page-forms.ts';

/** What pages show of the server. */
export interface PageOptions {
  readonly termsUrl: string | null;
  readonly privacyUrl: string | null;
  /** New e-mail addresses must be confirmed. */
  readonly verifies: boolean;
  /** Whether there is a mail server; otherwise messages are files. */
  readonly sendsMail: boolean;
  /** The server URL for robots, when the request does not show it: `http://192.168.1.20:3000`. Null: unknown. */
  robotAddress(): string | null;
  /** Whether visitors may start demo gardens. */
  readonly hasDemos: boolean;
  /** The robots of which a garden can be made. */
  readonly robots: readonly Choice[];
  /** What a visitor may do now. */
  admission(server: ServerScope, call: Call): Promise<Admission>;
  /** What the link of an invitation leads to; null: it has expired, was used or withdrawn. */
  invitation(server: ServerScope, token: string): Promise<ShownInvitation | null>;
}

/** What a link invites to. */
export interface ShownInvitation {
  readonly email: string;
  readonly inviter: string;
  /** Null: to make an account on the server. */
  readonly garden: { readonly name: string; readonly role: string } | null;
  /** Whether an account may be made with it. */
  readonly maySignUp: boolean;
}

/** Who may sign up. */
export interface Admission {
  readonly signUp: 'open' | 'closed';
  /** There is no account but demos. */
  readonly isNew: boolean;
  /** The visitor needs a code to become the administrator with the first account. */
  readonly needsCode: boolean;
}

/** Whether a visitor may sign up, be it with a code only. */
export const maySignUp = ({ signUp, needsCode }: Admission): boolean => signUp === 'open' || needsCode;

const link = (address: string, text: string): string =>
  `<a href="${escapeHtml(address)}" rel="noopener noreferrer" target="_blank">${escapeHtml(text)}</a>`;

function termsLinks({ termsUrl, privacyUrl }: PageOptions): string {
  const links = [
    ...(termsUrl ? [link(termsUrl, 'terms of service')] : []),
    ...(privacyUrl ? [link(privacyUrl, 'privacy policy')] : []),
  ];
  return links.join(' and the ');
}

/** Agreement to the terms of service, where there are any. */
export const termsField = (options: PageOptions): string =>
  options.termsUrl ? checkboxField('agree_to_terms', `I agree to the ${termsLinks(options)}.`, 'terms_of_service') : '';

/** The address that a form was sent with. */
const sentAddress = '<strong data-fill="email"></strong>';

/** Where a server without a mail server has its messages. */
const outbox = 'in the folder <code>outbox</code> of the data folder, and its link in the log';

const sentHeading = ({ sendsMail }: PageOptions): string =>
  `<h2>${sendsMail ? 'Check your e-mail' : 'Open the link in the message'}</h2>`;

export const narrow = (title: string, content: string): string =>
  `<div class="narrow"><h1>${title}</h1>\n${content}</div>`;

export const signInPage = (admission: Admission): Reply =>
  page({
    title: 'Sign in',
    content: narrow(
      'Sign in',
      `${form({
        to: '/api/tokens',
        method: 'POST',
        nest: 'user',
        fields: `${emailField}\n${currentPasswordField}`,
        button: 'Sign in',
        help: { status: 403, content: resendButton('resent') },
      })}
<p class="below"><a href="/forgotten_password">Forgot password?</a></p>
${maySignUp(admission) ? '<p class="below">New here? <a href="/sign_up">Create an account</a></p>' : ''}`,
    ),
  });

const codeField = ({ signUp }: Admission): string =>
  field({
    name: 'administrator_code',
    label: 'Administrator code',
    type: 'text',
    autocomplete: 'off',
    isOptional: signUp === 'open',
    hint:
      signUp === 'open'
        ? 'The server shows it when it starts. With it the first account administers the server; without it, no account does yet.'
        : 'The server shows it when it starts. Sign-up is closed except for its administrator.',
  });

/** The form to create an account, and what follows it. */
export function signUpForm(options: PageOptions, admission: Admission): string {
  const fields = [
    field({ name: 'name', label: 'Name', type: 'text', autocomplete: 'name' }),
    emailField,
    newPassword('Password'),
    ...(admission.needsCode ? [codeField(admission)] : []),
    termsField(options),
  ];
  return `${form({
    to: '/api/users',
    method: 'POST',
    fields: fields.join('\n'),
    button: 'Create account',
    leadsTo: options.verifies ? 'sent' : 'sign-in',
  })}
<section class="card" id="sent" hidden>${sentHeading(options)}
<p>${
    options.sendsMail
      ? `We sent a message to ${sentAddress}.`
      : `This server does not send mail: its operator finds the message to ${sentAddress} ${outbox}.`
  } Open the link to confirm your address and sign in.</p>
${resendButton('resent')}</section>`;
}

export function signUpPage(options: PageOptions, admission: Admission): Reply {
  const content = !maySignUp(admission)
    ? '<section class="card"><p>Sign-up is closed on this server. Ask its operator for an account.</p></section>'
    : `${signUpForm(options, admission)}
<p class="below">Already have an account? <a href="/sign_in">Sign in</a></p>`;
  return page({ title: 'Sign up', content: narrow('Sign up', content) });
}

export const forgottenPage = (options: PageOptions): Reply =>
  page({
    title: 'Reset password',
    content: narrow(
      'Reset password',
      `<p>Enter your e-mail address to get a link for choosing a new password.</p>
${form({ to: '/api/password_resets', method: 'POST', fields: emailField, button: 'Send link', leadsTo: 'sent' })}
<section class="card" id="sent" hidden>${sentHeading(options)}
<p>If there is an account with the address ${sentAddress}, ${
        options.sendsMail
          ? 'we sent a message to it'
          : `the operator of this server, which does not send mail, finds a message to it ${outbox}`
      }. The link works once, within 24 hours.</p></section>
<p class="below"><a href="/sign_in">Back to sign-in</a></p>`,
    ),
  });

/** The form for a new password with the token in the URL of the page. `help`: HTML shown when the link cannot be used. */
const resetForm = (button: string, help: string): string =>
  form({
    to: '/api/password_resets',
    method: 'PUT',
    fields: `<input name="id" type="hidden">\n${newPassword('New password')}`,
    button,
    help: { status: 422, content: help },
  });

const anotherResetLink = form({
  to: '/api/password_resets',
  method: 'POST',
  intro: '<h2>Link expired? Send another</h2>\n',
  fields: emailField,
  button: 'Send another link',
});

export const newPasswordPage: Reply = page({
  title: 'Choose a new password',
  action: 'reset',
  content: narrow(
    'Choose a new password',
    `${resetForm('Set password', anotherResetLink)}
<p>All devices that are signed in, the robot included, must sign in again.</p>`,
  ),
});

/** For the owner of an account whose e-mail address another person changed. [decision 59] */
export const takeBackPage: Reply = page({
  title: 'Keep your e-mail address',
  action: 'reset',
  content: narrow(
    'Keep your e-mail address',
    `<p>If you did not change the e-mail address of your account, choose a new password here. Your account gets this address back, and
all devices that are signed in, the robot included, must sign in again.</p>
${resetForm(
  'Keep my address',
  '<p class="card">If you can no longer sign in to your account, ask the operator of this server.</p>',
)}`,
  ),
});

/** What a link in a mail confirms: the address of a new account, or another one of an account. */
export type ConfirmationKind = 'account' | 'change';

/** A page for a link that confirms nothing, with a form for another one. Nothing shows whether an account exists. */
export function deadLinkPage(status: number, message: string, kind: ConfirmationKind): Reply {
  const title = 'This link did not work';
  if (status !== 404) return noticePage(status, title, message);
  const help =
    kind === 'change'
      ? `<section class="card"><h2>Link expired? Send another</h2>
<p>Sign in and change the address of your account again: that sends another link.</p>
<p class="actions"><a class="button" href="/account">Change address</a></p></section>`
      : form({
          to: '/api/verification_mails',
          method: 'POST',
          intro: '<h2>Link expired? Send another</h2>\n',
          fields: emailField,
          button: 'Send another link',
        });
  return page({
    title,
    status,
    isBare: true,
    content: narrow(title, `<p>${escapeHtml(message)}</p>\n${help}`),
  });
}

/** Sign-in with agreement to new terms of service. */
export function termsPage(options: PageOptions): Reply {
  const title = 'Terms of service';
  if (options.termsUrl === null)
    return page({
      title,
      content: narrow(
        title,
        `<section class="card"><p>This server has no terms of service.</p>
<p><a class="button" href="/">Home</a></p></section>`,
      ),
    });
  return page({
    title,
    action: 'terms',
    content: narrow(
      title,
      `<p>Please read the ${termsLinks(options)}, then sign in again.</p>
${form({
  to: '/api/tokens',
  method: 'POST',
  nest: 'user',
  fields: `${emailField}\n${currentPasswordField}\n${termsField(options)}`,
  button: 'Agree and sign in',
})}`,
    ),
  });
}
