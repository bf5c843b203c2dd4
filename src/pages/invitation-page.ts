import { escapeHtml } from '../core/html.ts';
import type { Reply } from '../engine/route.ts';
import type { PageOptions, ShownInvitation } from './account-pages.ts';
import { narrow, termsField } from './account-pages.ts';
import { noticePage, page } from './page.ts';
import { emailField, field, form, newPassword } from './page-forms.ts';

/** The page of an invitation's link: accept it, or make the account or sign in first, which leads back here. */
export function invitationPage(options: PageOptions, token: string, invitation: ShownInvitation | null): Reply {
  const title = 'Invitation';
  if (invitation === null)
    return noticePage(404, title, 'This invitation was not found: it has expired, was used or withdrawn.');
  const { email, inviter, garden, maySignUp } = invitation;
  const [name, address] = [escapeHtml(inviter), escapeHtml(email)];
  const secret = (key: string): string => `<input name="${key}" type="hidden" value="${escapeHtml(token)}">`;
  const acceptance =
    garden === null
      ? ''
      : `<div class="when-in">${form({
          to: '/api/invitations/accept',
          method: 'POST',
          isSignedIn: true,
          fields: secret('token'),
          button: 'Accept invitation',
        })}</div>`;
  const signUp = form({
    to: '/api/users',
    method: 'POST',
    isForVisitors: true,
    intro: `<h2>New here?</h2>\n<p>Create an account with the address ${address}.</p>\n`,
    fields: [
      field({ name: 'name', label: 'Name', type: 'text', autocomplete: 'name' }),
      emailField,
      newPassword('Password'),
      termsField(options),
      secret('invitation'),
    ].join('\n'),
    button: 'Create account',
    leadsTo: 'sign-in',
  });
  const lead = garden
    ? `${name} invites you to the garden “${escapeHtml(garden.name)}” as ${escapeHtml(garden.role)}. The invitation is for ${address}.`
    : `${name} invites you to create an account with the address ${address}.`;
  return page({
    title,
    action: 'invitation',
    isBare: true,
    content: narrow(
      title,
      `<p class="lead">${lead}</p>
${acceptance}
<p class="when-out actions"><a class="button quiet" href="/sign_in">I have an account: sign in</a></p>
${maySignUp ? signUp : ''}`,
    ),
  });
}
