import { escapeHtml } from '../core/html.ts';
import type { Reply } from '../engine/route.ts';
import { page } from './page.ts';
import type { PageOptions } from './page-facts.ts';
import {
  emailField,
  field,
  form,
  newPasswordFields,
  presentPasswordField,
  resendButton,
  tickField,
} from './page-forms.ts';

const link = (address: string, text: string): string =>
  `<a href="${escapeHtml(address)}" rel="noopener noreferrer" target="_blank">${escapeHtml(text)}</a>`;

/** Links to what people agree to; '' where there is nothing. */
function termsLinks({ termsUrl, privacyUrl }: PageOptions): string {
  const links = [
    ...(termsUrl ? [link(termsUrl, 'terms of service')] : []),
    ...(privacyUrl ? [link(privacyUrl, 'privacy policy')] : []),
  ];
  return links.join(' and the ');
}

const agreement = (facts: PageOptions): string =>
  facts.termsUrl ? tickField('agree_to_terms', `I agree to the ${termsLinks(facts)}.`, 'terms_of_service') : '';

/** Where messages go without a mail server. */
const outboxHint = ({ sendsMail }: PageOptions): string =>
  sendsMail
    ? ''
    : '<p>This server has no mail server: whoever runs it finds the message in the folder <code>outbox</code> of its data, and the link in its log.</p>';

const narrow = (title: string, content: string): string => `<div class="narrow"><h1>${title}</h1>\n${content}</div>`;

/** Sign in. */
export const signInPage = (facts: PageOptions): Reply =>
  page({
    title: 'Sign in',
    content: narrow(
      'Sign in',
      `${form({
        to: '/api/tokens',
        method: 'POST',
        nest: 'user',
        fields: `${emailField}\n${presentPasswordField}`,
        button: 'Sign in',
        help: { status: 403, content: resendButton('resent') },
      })}
<p class="below"><a href="/forgotten_password">I forgot my password</a></p>
${facts.signUp === 'open' ? '<p class="below">New here? <a href="/sign_up">Make an account</a></p>' : ''}`,
    ),
  });

/** Make an account. */
export function signUpPage(facts: PageOptions): Reply {
  if (facts.signUp === 'closed')
    return page({
      title: 'Make an account',
      content: narrow(
        'Make an account',
        '<section class="card"><p>On this server only whoever runs it makes accounts. Ask them for one.</p></section>',
      ),
    });
  const fields = [
    field({ name: 'name', label: 'Name', type: 'text', autocomplete: 'name' }),
    emailField,
    newPasswordFields.replace('New password', 'Password'),
    agreement(facts),
  ];
  return page({
    title: 'Make an account',
    content: narrow(
      'Make an account',
      `${form({
        to: '/api/users',
        method: 'POST',
        fields: fields.join('\n'),
        button: 'Make the account',
        leadsTo: facts.verifies ? 'sent' : 'sign-in',
      })}
<section class="card" id="sent" hidden><h2>Look into your mail</h2>
<p>A message is on its way to <strong data-fill="email"></strong>. Open the link in it, and you are in.</p>
${outboxHint(facts)}${resendButton('resent')}</section>
<p class="below">You have an account? <a href="/sign_in">Sign in</a></p>`,
    ),
  });
}

/** Ask for the mail that lets one choose a new password. */
export const forgottenPage = (facts: PageOptions): Reply =>
  page({
    title: 'Forgotten password',
    content: narrow(
      'Forgotten password',
      `<p>Tell us your e-mail address, and we send you a link with which you can choose a new password.</p>
${form({ to: '/api/password_resets', method: 'POST', fields: emailField, button: 'Send me the link', leadsTo: 'sent' })}
<section class="card" id="sent" hidden><h2>Look into your mail</h2>
<p>If there is an account with the address <strong data-fill="email"></strong>, a message is on its way to it. Its link works once, and for 24 hours.</p>
${outboxHint(facts)}</section>
<p class="below"><a href="/sign_in">Back to signing in</a></p>`,
    ),
  });

/** Choose a new password with the link of that mail. */
export const newPasswordPage: Reply = page({
  title: 'Choose a new password',
  does: 'reset',
  content: narrow(
    'Choose a new password',
    `${form({
      to: '/api/password_resets',
      method: 'PUT',
      fields: `<input name="id" type="hidden">\n${newPasswordFields}`,
      button: 'Set the password',
      help: { status: 422, content: '<p><a href="/forgotten_password">Ask for another link</a></p>' },
    })}
<p>Everything that is signed in with the old password, the robot too, has to sign in again.</p>`,
  ),
});

/** Agree to the terms of service, which signing in asks for when they are new. */
export function termsPage(facts: PageOptions): Reply {
  const title = 'Terms of service';
  if (facts.termsUrl === null)
    return page({
      title,
      content: narrow(
        title,
        `<section class="card"><p>There are no terms of service on this server.</p>
<p><a class="button" href="/">To the first page</a></p></section>`,
      ),
    });
  return page({
    title,
    does: 'terms',
    content: narrow(
      title,
      `<p>Before you go on, please read the ${termsLinks(facts)}, and sign in once more.</p>
${form({
  to: '/api/tokens',
  method: 'POST',
  nest: 'user',
  fields: `${emailField}\n${presentPasswordField}\n${agreement(facts)}`,
  button: 'Agree and sign in',
})}`,
    ),
  });
}
