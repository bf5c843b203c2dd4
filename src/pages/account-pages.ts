import { escapeHtml } from '../core/html.ts';
import type { Reply } from '../engine/route.ts';
import { page } from './page.ts';
import {
  checkboxField,
  currentPasswordField,
  emailField,
  field,
  form,
  newPasswordFields,
  resendButton,
} from './page-forms.ts';

/** What pages show of the server. */
export interface PageOptions {
  readonly termsUrl: string | null;
  readonly privacyUrl: string | null;
  readonly signUp: 'open' | 'closed';
  /** New e-mail addresses must be confirmed. */
  readonly verifies: boolean;
  /** Whether there is a mail server; otherwise messages are files. */
  readonly sendsMail: boolean;
  /** The server URL for robots, when the request does not show it: `http://192.168.1.20:3000`. */
  robotAddress(): string;
}

const link = (address: string, text: string): string =>
  `<a href="${escapeHtml(address)}" rel="noopener noreferrer" target="_blank">${escapeHtml(text)}</a>`;

function termsLinks({ termsUrl, privacyUrl }: PageOptions): string {
  const links = [
    ...(termsUrl ? [link(termsUrl, 'terms of service')] : []),
    ...(privacyUrl ? [link(privacyUrl, 'privacy policy')] : []),
  ];
  return links.join(' and the ');
}

const termsField = (options: PageOptions): string =>
  options.termsUrl ? checkboxField('agree_to_terms', `I agree to the ${termsLinks(options)}.`, 'terms_of_service') : '';

/** Where to find messages on a server without a mail server. */
const outboxHint = ({ sendsMail }: PageOptions): string =>
  sendsMail
    ? ''
    : '<p>This server does not send mail. Its operator finds the message in the folder <code>outbox</code> of the data folder, and the link in the log.</p>';

const narrow = (title: string, content: string): string => `<div class="narrow"><h1>${title}</h1>\n${content}</div>`;

export const signInPage = (options: PageOptions): Reply =>
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
${options.signUp === 'open' ? '<p class="below">New here? <a href="/sign_up">Create an account</a></p>' : ''}`,
    ),
  });

export function signUpPage(options: PageOptions): Reply {
  if (options.signUp === 'closed')
    return page({
      title: 'Sign up',
      content: narrow(
        'Sign up',
        '<section class="card"><p>Sign-up is closed on this server. Ask its operator for an account.</p></section>',
      ),
    });
  const fields = [
    field({ name: 'name', label: 'Name', type: 'text', autocomplete: 'name' }),
    emailField,
    newPasswordFields.replace('New password', 'Password'),
    termsField(options),
  ];
  return page({
    title: 'Sign up',
    content: narrow(
      'Sign up',
      `${form({
        to: '/api/users',
        method: 'POST',
        fields: fields.join('\n'),
        button: 'Create account',
        leadsTo: options.verifies ? 'sent' : 'sign-in',
      })}
<section class="card" id="sent" hidden><h2>Check your e-mail</h2>
<p>We sent a message to <strong data-fill="email"></strong>. Open the link in it to confirm your address and sign in.</p>
${outboxHint(options)}${resendButton('resent')}</section>
<p class="below">Already have an account? <a href="/sign_in">Sign in</a></p>`,
    ),
  });
}

export const forgottenPage = (options: PageOptions): Reply =>
  page({
    title: 'Reset password',
    content: narrow(
      'Reset password',
      `<p>Enter your e-mail address to get a link for choosing a new password.</p>
${form({ to: '/api/password_resets', method: 'POST', fields: emailField, button: 'Send link', leadsTo: 'sent' })}
<section class="card" id="sent" hidden><h2>Check your e-mail</h2>
<p>If there is an account with the address <strong data-fill="email"></strong>, we sent a message to it. The link in it works once, within 24 hours.</p>
${outboxHint(options)}</section>
<p class="below"><a href="/sign_in">Back to sign-in</a></p>`,
    ),
  });

/** The form for a new password with the token in the URL of the page. */
const resetForm = (button: string): string =>
  form({
    to: '/api/password_resets',
    method: 'PUT',
    fields: `<input name="id" type="hidden">\n${newPasswordFields}`,
    button,
    help: { status: 422, content: '<p><a href="/forgotten_password">Request another link</a></p>' },
  });

export const newPasswordPage: Reply = page({
  title: 'Choose a new password',
  action: 'reset',
  content: narrow(
    'Choose a new password',
    `${resetForm('Set password')}
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
${resetForm('Keep my address')}`,
  ),
});

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
