import type { Reply } from '../engine/route.ts';
import { narrow } from './account-pages.ts';
import type { Page } from './page.ts';
import { page } from './page.ts';
import { gardenScript } from './page-files.ts';
import type { Choice } from './page-forms.ts';
import { currentPassword, field, form, newPassword, selectField } from './page-forms.ts';

/** A page for signed-in people; the script sends others to the sign-in page. */
const gardenPage = (options: Pick<Page, 'title' | 'action'>, content: string): Reply =>
  page({
    ...options,
    script: gardenScript,
    content: `<div class="when-out"><h1>You are not signed in</h1><p><a class="button" href="/sign_in">Sign in</a></p></div>
<div class="when-in">${content}</div>`,
  });

/** Shown in demo gardens only. */
const demoNote =
  '<p class="message when-demo">This is a demo garden. It is deleted an hour after its last use. <a href="/sign_up">Create an account</a> to keep a garden.</p>';

/** The page `/app`. `serverAddress`: the HTML of the URL for robots. */
export const startPage = (serverAddress: string): Reply =>
  gardenPage(
    { title: 'My garden', action: 'start' },
    `<h1>Hello, <span id="who">gardener</span></h1>
${demoNote}
<div class="cards two">
<section class="card"><h2>Your robot</h2>
<p class="state" id="robot-state" role="status">Loading …</p>
<dl><dt>Name</dt><dd id="robot-name">…</dd><dt>Software</dt><dd id="robot-version">…</dd><dt>Last seen</dt><dd id="robot-seen">…</dd></dl></section>
<section class="card when-kept"><h2>Connect a robot</h2>
<p>A new robot opens its own Wi-Fi network. Join it and enter this on its setup page:</p>
<dl><dt>E-mail</dt><dd id="email"></dd><dt>Password</dt><dd>your password for this account</dd><dt>Server</dt><dd>${serverAddress}</dd></dl></section>
<section class="card"><h2>Your garden</h2>
<p id="garden-size" role="status">Loading …</p>
<p class="actions"><a class="button" id="seed-link" href="/seed" hidden>Set up the garden</a> <a class="button quiet when-kept" href="/import">Import a garden</a></p></section>
<section class="card"><h2>Your data</h2>
<p>All data of your account and garden, in one file. It can be imported into another account.</p>
<p><label class="tick"><input type="checkbox" id="with-photos"><span>Include photos (ZIP file)</span></label></p>
<p><button type="button" id="download">Download</button></p>
<p class="message" id="data-message" role="status"></p></section>
<section class="card when-kept"><h2>Use apps</h2>
<p>Apps for this robot sign in at the same URL, with the same e-mail address and password.</p>
<p><a href="/docs">API documentation</a></p></section>
</div>`,
  );

const account = { method: 'PATCH', to: '/api/users', isSignedIn: true } as const;

/** Name, address, time zone and password. */
export const accountPage: Reply = gardenPage(
  { title: 'Account', action: 'account' },
  narrow(
    'Account',
    `${demoNote}
<p class="message" id="load-message" role="status"></p>
${form({
  ...account,
  id: 'name-form',
  intro: '<h2>Name</h2>\n',
  fields: field({ name: 'name', label: 'Your name', type: 'text', autocomplete: 'name' }),
  button: 'Save name',
  done: 'Your name was saved.',
})}
${form({
  method: 'PATCH',
  to: '/api/device',
  isSignedIn: true,
  id: 'zone-form',
  intro: '<h2>Time zone</h2>\n',
  fields: selectField('timezone', 'Time zone of the garden', [], 'Scheduled sequences run in this time zone.'),
  button: 'Save time zone',
  done: 'The time zone was saved.',
})}
<div class="when-kept">
${form({
  ...account,
  id: 'email-form',
  intro: '<h2>E-mail address</h2>\n',
  fields: `${field({ name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'email', mustChange: true })}
${currentPassword('email-password', 'Current password')}`,
  button: 'Change address',
  done: 'Your address was changed.',
})}
${form({
  ...account,
  id: 'password-form',
  intro: '<h2>Password</h2>\n<p>All other devices that are signed in, the robot included, must sign in again.</p>\n',
  fields: `${currentPassword('current-password', 'Current password')}
${newPassword('New password', 'new_')}`,
  button: 'Change password',
  done: 'Your password was changed.',
})}</div>
<p class="actions"><a class="button quiet" href="/logout">Sign out</a></p>`,
  ),
);

const importModes: readonly Choice[] = [
  { value: 'empty', label: 'Only into an empty garden' },
  { value: 'merge', label: 'Add to what is there' },
  { value: 'replace', label: 'Replace what is there' },
];

/** Import of an exported account, after a report of what it would do. */
export const importPage: Reply = gardenPage(
  { title: 'Import a garden', action: 'import' },
  narrow(
    'Import a garden',
    `<p class="message when-demo">A demo garden cannot import files. <a href="/sign_up">Create an account</a> to import a garden.</p>
<div class="when-kept"><p>Import a file that this server, another Potager or the vendor's service exported. First it is only checked: you see what would be imported.</p>
<form class="card" id="import-form">
<div class="field"><label for="file">Exported file (.json or .zip)</label>
<input id="file" name="file" type="file" accept=".json,.zip,application/json,application/zip" required aria-describedby="file-problem">
<p class="problem" id="file-problem"></p></div>
${selectField('mode', 'How to import', importModes, 'Before a garden is replaced, the server stores a backup of it.')}
<div id="replace-password" hidden>${currentPassword('password', 'Your password')}</div>
<button>Check the file</button>
<p class="message" role="alert"></p>
</form>
<section class="card" id="report" hidden><h2>Report</h2><div id="report-content"></div>
<p class="actions"><button type="button" id="import-button">Import now</button></p>
<p class="message" id="import-message" role="status"></p></section></div>
<p class="below"><a href="/app">Back to my garden</a></p>`,
  ),
);

/** Creates the garden of a robot. */
export const seedPage = (robots: readonly Choice[]): Reply =>
  gardenPage(
    { title: 'Set up the garden', action: 'seed' },
    narrow(
      'Set up the garden',
      `<p>Choose your robot. Its tools, slots, peripherals, sensors and sequences are created, and its settings are filled in. This works once for each account.</p>
${form({
  to: '/api/device/seed',
  method: 'POST',
  isSignedIn: true,
  id: 'seed-form',
  fields: selectField('product_line', 'Your robot', [{ value: '', label: 'Choose …' }, ...robots]),
  button: 'Create the garden',
})}
<p class="below"><a href="/app">Back to my garden</a></p>`,
    ),
  );
