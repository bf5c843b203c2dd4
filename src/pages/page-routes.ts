import Type from 'typebox';
import { notFound } from '../core/errors.ts';
import { escaped } from '../core/html.ts';
import type { Call, PublicRoute, Reply, Route } from '../engine/route.ts';
import { empty } from '../engine/route.ts';
import { page } from './page.ts';

/** What pages tell of the server. */
export interface PageFacts {
  /** Null: there are none. */
  readonly termsUrl: string | null;
  readonly privacyUrl: string | null;
  readonly signUp: 'open' | 'closed';
}

/** Pages for browsers; other clients get an empty body. [decision 20] */
export function pageRoutes(facts: PageFacts): Route[] {
  const terms = termsLinks(facts);
  return [
    pageRoute('/', page({ title: 'Potager', content: landing(facts, terms), onLoad: 'account' })),
    pageRoute('/os', page({ title: 'Software for your robot', content: osText })),
    pageRoute('/featured', page({ title: 'Featured sequences', content: featuredText })),
    pageRoute('/tos_update', page({ title: 'Terms of service', content: termsForm(terms) })),
    pageRoute(
      '/logout',
      page({ title: 'Signing out', content: '<p>You are signed out on this device.</p>', onLoad: 'forget' }),
    ),
    pageRoute('/app', appPage),
    pageRoute('/app/*', appPage),
    pageRoute('/password_reset/:token', page({ title: 'Choose a new password', content: resetForm, onLoad: 'token' })),
  ];
}

function pageRoute(path: string, shown: Reply): PublicRoute {
  const parameter = /[:*](\w*)$/.exec(path);
  return {
    method: 'GET',
    path,
    tag: 'pages',
    access: 'public',
    anyVersion: true,
    hidden: true,
    summary: 'A page for browsers',
    ...(parameter ? { params: Type.Object({ [parameter[1] || '*']: Type.String() }) } : {}),
    replies: { 200: 'html' },
    handle(_scope, call) {
      // Files of a web app that is not here. [reference]
      if (path === '/app/*' && /\.\w+$/.test(call.params['*'] ?? '')) throw notFound('File');
      return isBrowser(call) ? shown : empty;
    },
  };
}

const isBrowser = (call: Call): boolean => String(call.headers.accept ?? '').includes('text/html');

const link = (address: string, text: string): string =>
  `<a href="${escaped(address)}" rel="noopener noreferrer" target="_blank">${escaped(text)}</a>`;

function termsLinks({ termsUrl, privacyUrl }: PageFacts): string {
  const links = [
    ...(termsUrl ? [link(termsUrl, 'terms of service')] : []),
    ...(privacyUrl ? [link(privacyUrl, 'privacy policy')] : []),
  ];
  return links.join(' and ');
}

const field = (name: string, label: string, type: string, more = ''): string =>
  `<label>${label}<input name="${name}" type="${type}" required ${more}></label>`;
const email = field('email', 'E-mail', 'email', 'autocomplete="username"');
const newPassword = (name: string, label: string): string =>
  field(name, label, 'password', 'minlength="8" maxlength="1024" autocomplete="new-password"');
const presentPassword = field('password', 'Password', 'password', 'autocomplete="current-password"');

const form = (title: string, to: string, method: string, fields: string, button: string, nest = ''): string =>
  `<form data-to="${to}" data-method="${method}"${nest ? ` data-nest="${nest}"` : ''}>
<h2>${title}</h2>
${fields}
<button>${button}</button>
<output></output>
</form>`;

const agreement = (terms: string): string =>
  terms === '' ? '' : `<label><input name="agree_to_terms" type="checkbox" required> I agree to the ${terms}</label>`;

function landing({ signUp }: PageFacts, terms: string): string {
  const signUpForm = form(
    'New here?',
    '/api/users',
    'POST',
    field('name', 'Name', 'text', 'autocomplete="name"') +
      email +
      newPassword('password', 'Password') +
      newPassword('password_confirmation', 'The password again') +
      agreement(terms),
    'Sign up',
  );
  return `<p>This server keeps the account data of garden robots. The documentation of its interface is <a href="/docs">here</a>.</p>
<div id="in" hidden><section><p>Signed in as <strong id="name"></strong>. The server for your robot is <code id="server"></code>.</p>
<p><a href="/app">Go on</a> · <a href="/logout">Sign out</a></p></section></div>
<div id="out">
${form('Sign in', '/api/tokens', 'POST', email + presentPassword, 'Sign in', 'user')}
${signUp === 'open' ? signUpForm : ''}
${form('Forgot your password?', '/api/password_resets', 'POST', email, 'Send me a link')}
</div>`;
}

const osText = `<section><p>The robot's computer needs the maker's operating system on its memory card. When it starts for the first time it opens a
wireless network of its own: connect to it, and give it this server's address, your e-mail address and your password.</p></section>`;

const featuredText = `<section><p>Sequences that others share appear in the web app under “Featured”.</p></section>`;

function termsForm(terms: string): string {
  if (terms === '') return '<p>There are no terms of service on this server. <a href="/">To the first page</a></p>';
  return `<p>Please read the ${terms} and sign in again.</p>
${form('Agree', '/api/tokens', 'POST', `${email}${presentPassword}<label><input name="agree_to_terms" type="checkbox" required> I agree</label>`, 'Agree and sign in', 'user')}`;
}

const resetForm = form(
  'New password',
  '/api/password_resets',
  'PUT',
  `<input name="id" type="hidden">${newPassword('password', 'New password')}${newPassword('password_confirmation', 'The new password again')}`,
  'Set the password',
);

const appPage = page({
  title: 'Potager',
  content: `<div id="in" hidden><section><p>Signed in as <strong id="name"></strong>.</p>
<p>There is no web app on this server yet; robots and programs sign in at <code id="server"></code> with your e-mail address and password.</p>
<p><a href="/docs">Documentation of the interface</a> · <a href="/logout">Sign out</a></p></section></div>
<div id="out"><p>You are not signed in. <a href="/">Sign in</a></p></div>`,
  onLoad: 'account',
});
