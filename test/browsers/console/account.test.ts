import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { textAt } from '../../support/json.ts';
import { suiteReceiver } from '../../support/webhook-receiver.ts';
import { phone, suiteBrowser } from '../pages/browser.ts';
import { gardener, openConsole, ownConsoleServer } from './garden-page.ts';

const open = suiteBrowser();

describe('the account in the console', () => {
  const server = ownConsoleServer('sqlite', { FETCH_ALLOW: '127.0.0.1' });
  const receiver = suiteReceiver();

  it('adds a webhook with its secret, and shows the answer to a test', async () => {
    // The first account: only the gardens of administrators may have webhooks to this machine.
    const ada = await gardener(server);
    receiver.answers.set('/hook', (response) => void response.writeHead(418).end('I am a teapot'));
    const page = await openConsole(open, server, ada, '/account?part=webhooks');
    await page.getByLabel('Address').fill(receiver.url('/hook'));
    await page.getByRole('button', { name: 'Add webhook' }).click();
    const secret = page.getByRole('alertdialog', { name: 'Secret' });
    expect(await secret.getByLabel('Secret').last().inputValue()).toMatch(/^whsec_/);
    await secret.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('The test was sent.').waitFor();
    await page.getByRole('link', { name: 'Deliveries' }).click();
    const deliveries = page.getByRole('list', { name: 'Deliveries' });
    await deliveries.getByText(/HTTP 418/).waitFor();
    await deliveries.getByText('Failed', { exact: true }).waitFor();
  });

  it('invites a viewer, who sees the garden and cannot change it', async () => {
    const ada = await gardener(server);
    await ada.call('POST', '/api/tools', { name: 'Watering can' });
    const bob = await gardener(server, 'bob');
    const page = await openConsole(open, server, ada, '/account?part=people', { viewport: phone });
    await page.getByLabel('E-mail').fill(bob.email);
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    // This server sends no mail.
    const shown = page.getByRole('alertdialog', { name: 'Invitation link' });
    const link = new URL(await shown.getByLabel('Invitation link').last().inputValue());
    await shown.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('list', { name: 'Open invitations' }).getByText(bob.email).waitFor();
    await bob.call('POST', '/api/invitations/accept', { token: link.pathname.split('/').at(-1) ?? '' });
    // Signed in by hand: the session changes.
    const guest = await open({ locale: 'en-US' });
    await guest.goto(`${server.base}/console/account?part=gardens`);
    await guest.getByLabel('E-mail').fill(bob.email);
    await guest.getByLabel('Password').fill(bob.password);
    await guest.getByRole('button', { name: 'Sign in' }).click();
    await guest.getByRole('button', { name: /^Switch to/ }).click();
    await guest.waitForURL('**/console/map');
    await guest.getByText('View only').waitFor();
    await guest.getByRole('link', { name: 'Garden things' }).click();
    await guest.getByRole('link', { name: /^Tools/ }).click();
    await guest.getByRole('link', { name: 'Watering can' }).waitFor();
    expect(await guest.getByRole('button', { name: 'Add' }).count()).toBe(0);
  });

  it('lets an invited person decline without an account, which the owner sees', async () => {
    const ada = await gardener(server);
    const body = { email: 'dora@example.com', role: 'viewer' };
    const link = new URL(textAt(await ada.call('POST', '/api/invitations', body), 'link'));
    const page = await openConsole(open, server, ada, '/account?part=people');
    const invited = page.getByRole('list', { name: 'Open invitations' }).getByText(body.email);
    await invited.waitFor();
    const guest = await open({ locale: 'en-US', viewport: phone });
    await guest.goto(`${server.base}${link.pathname}`);
    await guest.getByRole('button', { name: 'Decline invitation' }).click();
    const question = guest.getByRole('alertdialog', { name: 'Decline this invitation?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await ada.call('GET', '/api/invitations')).toHaveLength(1);
    await guest.getByRole('button', { name: 'Decline invitation' }).click();
    await question.getByRole('button', { name: 'Decline invitation' }).click();
    await guest.getByText('You declined the invitation.').waitFor();
    await guest.goto(`${server.base}${link.pathname}`);
    await guest.getByText(/This invitation was not found/).waitFor();
    await invited.waitFor({ state: 'detached' });
    await page.getByText('There is no open invitation.').waitFor();
  });

  it('opens a garden again with the new rights when an owner lowers a role, keeps its input, and leads a removed member home', async () => {
    const ada = await gardener(server);
    const bob = await gardener(server, 'bob');
    const invitation = await ada.call('POST', '/api/invitations', { email: bob.email, role: 'gardener' });
    const token = textAt(invitation, 'link').split('/').pop() ?? '';
    await bob.call('POST', '/api/invitations/accept', { token });
    const page = await open({ locale: 'fr-FR' });
    await page.goto(`${server.base}/console/account?part=gardens`);
    await page.getByLabel('Adresse e-mail').fill(bob.email);
    await page.getByLabel('Mot de passe').fill(bob.password);
    await page.getByRole('button', { name: 'Se connecter' }).click();
    const name = page.getByLabel('Nom', { exact: true });
    await name.fill('Serre');
    await page.getByRole('button', { name: /^Passer à/ }).click();
    await page.waitForURL('**/console/map');
    // Input in one garden is not shown in another.
    await page.goto(`${server.base}/console/account?part=gardens`);
    expect(await name.inputValue()).toBe('');

    await page.goto(`${server.base}/console/things/tools?new=true`);
    await name.fill('Râteau');
    await ada.call('PATCH', `/api/members/${bob.userId}`, { role: 'viewer' });
    await page.getByText(/^Un propriétaire a changé vos droits dans ce jardin/).waitFor();
    await page.getByText(/^Lecture seule/).waitFor();
    expect(await name.inputValue()).toBe('Râteau');
    expect(page.url()).toContain('/console/things/tools');

    await ada.call('DELETE', `/api/members/${bob.userId}`);
    await page.getByText(/^Vous n’êtes plus membre de ce jardin-là/).waitFor();
    await page.waitForURL('**/console/map');
    await page.getByRole('button', { name: 'Ajouter une plante' }).waitFor();
    const shown: string = await page.evaluate("JSON.parse(sessionStorage.getItem('session')).token.unencoded.bot");
    expect(shown).toBe(bob.bot);
  });

  it('shows a personal token once, asks for the password where the sign-in is too long ago, and revokes it', async () => {
    const ada = await gardener(server);
    const page = await openConsole(open, server, ada, '/account?part=tokens');
    // The sign-in of a test is never an hour ago; the administration tests have the server say this.
    await page.context().route('**/api/personal_tokens', async (route) => {
      const isRefused = route.request().method() === 'POST' && !route.request().postDataJSON().password;
      if (!isRefused) return route.continue();
      await route.fulfill({ status: 403, json: { password: 'Enter your password, or sign in again.' } });
    });
    await page.getByLabel('What it is for').fill('Greenhouse script');
    await page.getByRole('button', { name: 'Create token' }).click();
    const question = page.getByRole('dialog', { name: 'Confirm with your password' });
    await question.getByLabel('Your password').fill('wrong');
    await question.getByRole('button', { name: 'Continue' }).click();
    await question.getByText('Password is wrong.').waitFor();
    await question.getByLabel('Your password').fill(ada.password);
    await question.getByRole('button', { name: 'Continue' }).click();
    const shown = page.getByRole('alertdialog', { name: 'Token' });
    const token = await shown.getByLabel('Token').last().inputValue();
    expect(token).toMatch(/^pot_/);
    const read = () => server.client.send('GET', '/api/tools', { token });
    expect((await read()).status).toBe(200);
    await shown.getByRole('button', { name: 'Done' }).click();
    await page.reload();
    await page.getByRole('list', { name: 'Personal tokens' }).getByText('Greenhouse script').waitFor();
    expect(await page.content()).not.toContain(token);
    await page.getByLabel('What it is for').fill('Nothing');
    const scope = page.getByRole('checkbox', { name: /Read everything/ });
    await scope.press('Space');
    await page.getByRole('button', { name: 'Create token' }).click();
    await question.getByLabel('Your password').fill(ada.password);
    await question.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('What it may do must be a list of at least one scope.').waitFor();
    await scope.and(page.locator(':focus')).waitFor();
    await page.getByRole('button', { name: 'Revoke “Greenhouse script”' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('No personal token yet').waitFor();
    expect((await read()).status).toBe(401);
  });

  it('warns of a new password that attackers try first, changes it, and names the browser of the session', async () => {
    const ada = await gardener(server);
    const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
    const page = await openConsole(open, server, ada, '/account', { userAgent });
    const warning = page.getByText('This is one of the first passwords that attackers try.');
    const type = (label: string, password: string) => page.getByLabel(label, { exact: true }).fill(password);
    await type('Current password', ada.password);
    await type('New password', ada.email);
    await warning.waitFor();
    await type('New password', 'two rakes in the shed');
    await warning.waitFor({ state: 'hidden' });
    await type('New password', 'short');
    await type('New password again', 'short');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText(/^Password is too short/).waitFor();
    const short = page.getByLabel('New password', { exact: true });
    await expect.poll(() => short.getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByLabel('Current password').getAttribute('aria-invalid')).toBe(null);
    await type('New password', 'two rakes in the shed');
    await type('New password again', 'two rakes in the shed');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText(/^Your password was changed/).waitFor();
    const body = { user: { email: ada.email, password: 'two rakes in the shed' } };
    expect((await server.client.post('/api/tokens', body)).status).toBe(200);

    await page.getByRole('link', { name: 'Sessions' }).click();
    const own = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem').filter({ hasText: 'This session' });
    await own.getByText('Firefox on Linux').waitFor();
    await own.getByText('How it identifies itself').click();
    await own.getByText(userAgent).waitFor();
  });

  it('imports an export after its report, which changes nothing', async () => {
    const ada = await gardener(server);
    await ada.call('POST', '/api/tools', { name: 'Watering can' });
    const exported = await server.client.send('POST', '/api/export_data', { token: ada.token, body: {} });
    expect(exported.status).toBe(200);
    const bea = await gardener(server, 'bea');
    const page = await openConsole(open, server, bea, '/account?part=data', { viewport: phone, locale: 'fr-FR' });
    const choose = async (name: string, text: string) => {
      const chooser = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Choisir un fichier' }).click();
      await (await chooser).setFiles({ name, mimeType: 'application/json', buffer: Buffer.from(text) });
      await page.getByRole('button', { name: 'Vérifier le fichier' }).click();
    };
    await choose('broken.json', '{"tools": 5}');
    await page.getByText('Le fichier ne peut pas être importé. Rien n’a été changé.').waitFor();
    await page.getByText('Ce n’est pas l’export d’un jardin').waitFor();
    expect(await page.getByText('/sequences').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Importer maintenant' }).count()).toBe(0);
    await choose('garden.json', exported.text);
    await page.getByText('Le fichier peut être importé. Rien n’a encore été changé.').waitFor();
    const report = page.getByRole('region', { name: 'Rapport' });
    await report.getByText('Personnes Les personnes et leurs sessions ne sont jamais importées.').waitFor();
    await report.getByText('À importer · Outils : 1').waitFor();
    // The report names places in the file in words.
    expect(await report.innerText()).not.toMatch(/[a-z]_[a-z]|\b(config|logs)\b/i);
    expect(await bea.call('GET', '/api/tools')).toEqual([]);
    await page.getByRole('button', { name: 'Importer maintenant' }).click();
    await report.getByText('L’import est terminé.').waitFor();
    await report.getByText('Importés · Outils : 1').waitFor();
    expect(await bea.call('GET', '/api/tools')).toMatchObject([{ name: 'Watering can' }]);

    await page.getByRole('link', { name: 'Profil', exact: true }).click();
    const type = (label: string, password: string) => page.getByLabel(label, { exact: true }).fill(password);
    await type('Mot de passe actuel', bea.password);
    await type('Nouveau mot de passe', 'deux rosiers');
    await type('Nouveau mot de passe, à nouveau', 'deux râteaux');
    await page.getByRole('button', { name: 'Changer le mot de passe' }).click();
    await page.getByText('Les deux mots de passe diffèrent.').waitFor();
    const again = page.getByLabel('Nouveau mot de passe, à nouveau');
    await again.and(page.locator('[aria-invalid=true]:focus')).waitFor();
    expect(await page.getByLabel('Mot de passe actuel').getAttribute('aria-invalid')).toBe(null);
  });

  it('adds the plants of a table after its report, and exports them as one', async () => {
    const ada = await gardener(server);
    const page = await openConsole(open, server, ada, '/account?part=data');
    const choose = async (name: string, bytes: Buffer) => {
      const chooser = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Choose a file' }).click();
      await (await chooser).setFiles({ name, mimeType: '', buffer: bytes });
      await page.getByText('The plants of a table are added to the garden.').waitFor();
    };
    const check = () => page.getByRole('button', { name: 'Check the file' }).click();
    await choose('plants.csv', Buffer.from('crop;x;y\r\nM\xf6hre;1,5;wide\r\n', 'latin1'));
    await check();
    await page.getByText('The table is neither UTF-8 nor UTF-16.').waitFor();
    await page
      .getByRole('button', { name: /^Encoding of the table/ })
      .or(page.getByLabel('Encoding of the table'))
      .first()
      .click();
    await page.getByRole('option', { name: 'Windows-1252' }).click();
    await check();
    const report = page.getByRole('region', { name: 'Report' });
    await report.getByText('Row 2 · y wide is not a number.').waitFor();
    expect(await page.getByRole('button', { name: 'Import now' }).count()).toBe(0);
    await choose('plants.tsv', Buffer.from('Crop\tX\tY\nM\xf6hre\t1.5\t20\n', 'latin1'));
    await check();
    await report.getByText('To be imported · Plants or points: 1').waitFor();
    expect(await ada.call('GET', '/api/points')).toEqual([]);
    await page.getByRole('button', { name: 'Import now' }).click();
    await report.getByText('The import is done.').waitFor();
    expect(await ada.call('GET', '/api/points')).toMatchObject([
      { name: 'Möhre', openfarm_slug: 'carrot', x: 1.5, y: 20 },
    ]);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export plants as a table' }).click();
    const file = await (await download).path();
    expect(readFileSync(file, 'utf8')).toContain('Möhre,Plant,,1.5,20,0,25,carrot,planned');
  });
});
