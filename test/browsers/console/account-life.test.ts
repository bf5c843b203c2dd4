import { describe, expect, it } from 'vitest';
import { uniqueEmail } from '../../support/accounts.ts';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';
import { suiteBrowser } from '../pages/browser.ts';
import { type Gardener, gardener, openAsViewer, openConsole, ownConsoleServer } from './garden-page.ts';

const open = suiteBrowser();

describe('the life of an account', () => {
  const server = ownConsoleServer('sqlite', { HOME_ASSISTANT: 'on' });
  // The first account administers the server.
  let first: Gardener | undefined;
  const administrator = async () => (first ??= await gardener(server, 'root'));

  it('makes the address of the calendar, renews and deletes it', async () => {
    const root = await administrator();
    const page = await openConsole(open, server, root, '/account?part=calendar');
    const shown = page.getByRole('alertdialog', { name: 'Address of the calendar' });
    const address = async (): Promise<string> => {
      const text = await shown.getByLabel('Address of the calendar').last().inputValue();
      await shown.getByRole('button', { name: 'Done' }).click();
      await shown.waitFor({ state: 'detached' });
      return text;
    };
    const read = async (url: string): Promise<number> => (await fetch(url)).status;
    await page.getByRole('button', { name: 'Make the address' }).click();
    const first = await address();
    expect((await fetch(first)).headers.get('content-type')).toMatch(/^text\/calendar/);
    const confirm = (title: string, word: string) =>
      page.getByRole('alertdialog', { name: title }).getByRole('button', { name: word }).click();
    await page.getByRole('button', { name: 'Renew the address' }).click();
    await confirm('Renew the address of the calendar?', 'Renew the address');
    const second = await address();
    expect([await read(first), await read(second)]).toEqual([404, 200]);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await confirm('Delete the address of the calendar?', 'Delete');
    await page.getByText('There is no address yet.').waitFor();
    expect(await read(second)).toBe(404);
  });

  it('shows the garden in Home Assistant once an administrator allowed it', async () => {
    const root = await administrator();
    const bob = await gardener(server, 'bob');
    const page = await openConsole(open, server, bob, '/account?part=home');
    await page.getByText('An administrator of this server has to allow it').waitFor();
    const toggle = page.getByRole('switch', { name: 'Show this garden in Home Assistant' });
    expect(await toggle.isDisabled()).toBe(true);
    await root.call('PATCH', `/api/admin/home_assistant/${bob.deviceId}`, { allowed: true });
    await page.reload();
    await page.getByText('Show this garden in Home Assistant').click();
    const username = await page.getByLabel('User name').inputValue();
    await page.getByRole('button', { name: 'Make a password' }).click();
    const shown = page.getByRole('alertdialog', { name: 'Password for Home Assistant' });
    const password = await shown.getByLabel('Password for Home Assistant').last().inputValue();
    await shown.getByRole('button', { name: 'Done' }).click();
    await page.getByText('Home Assistant has a password.').waitFor();
    const connection = await MqttTestClient.connect(server.mqtt, { username, password });
    await page.getByText('Show this garden in Home Assistant').click();
    await page.getByLabel('User name').waitFor({ state: 'detached' });
    await expect.poll(() => connection.client.connected).toBe(false);
    await expect(MqttTestClient.connect(server.mqtt, { username, password })).rejects.toThrow();
  });

  it('leaves the garden of another person', async () => {
    const [ada, bob] = [await gardener(server), await gardener(server, 'bob')];
    const page = await openAsViewer(open, server, ada, bob, '/account?part=people');
    await page.getByRole('button', { name: 'Leave this garden' }).click();
    await page
      .getByRole('alertdialog', { name: 'Leave this garden?' })
      .getByRole('button', { name: 'Leave this garden' })
      .click();
    await page.waitForURL('**/console/sign-in*');
    expect(await bob.call('GET', '/api/gardens')).toMatchObject([{ role: 'owner', is_home: true }]);
    expect(await ada.call('GET', '/api/members')).toHaveLength(1);
  });

  it('resets a garden, and deletes an account, only with the password', async () => {
    const ada = await gardener(server);
    await ada.call('POST', '/api/tools', { name: 'Watering can' });
    const page = await openConsole(open, server, ada, '/account?part=end');
    const confirm = async (title: string, word: string): Promise<void> => {
      await page.getByRole('button', { name: word }).click();
      const question = page.getByRole('alertdialog', { name: title });
      expect(await question.getByRole('button', { name: word }).isDisabled()).toBe(true);
      await question.getByLabel('Current password').fill('wrong');
      await question.getByRole('button', { name: word }).click();
      await question.getByText(/password is (?:wrong|not)/i).waitFor();
      await question.getByLabel('Current password').fill(ada.password);
      await question.getByRole('button', { name: word }).click();
    };
    await page.getByRole('button', { name: 'Reset the garden' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await confirm('Delete everything in this garden?', 'Reset the garden');
    await page.getByText('The garden is being reset.').waitFor();
    await expect.poll(() => ada.call('GET', '/api/tools')).toEqual([]);
    expect(await ada.call('GET', '/api/users')).toMatchObject([{ email: ada.email }]);

    await confirm('Delete your account for good?', 'Delete my account');
    await page.getByText('Your account is being deleted.').waitFor();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    const { email, password } = ada;
    const signIn = async () =>
      (await server.client.send('POST', '/api/tokens', { body: { user: { email, password } } })).status;
    await expect.poll(signIn).toBe(422);
  });

  it('changes the name and the password, and shows problems beside the fields', async () => {
    const ada = await gardener(server);
    const page = await openConsole(open, server, ada, '/account');
    await page.getByLabel('Name', { exact: true }).fill('Ada Green');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect(await ada.call('GET', '/api/users')).toMatchObject([{ name: 'Ada Green', email: ada.email }]);

    const renewed = 'two rakes in the shed';
    const change = async (current: string, next: string, again: string): Promise<void> => {
      await page.getByLabel('Current password').fill(current);
      await page.getByLabel('New password', { exact: true }).fill(next);
      await page.getByLabel('New password again').fill(again);
      await page.getByRole('button', { name: 'Change password' }).click();
    };
    const signIn = async (password: string): Promise<number> =>
      (await server.client.send('POST', '/api/tokens', { body: { user: { email: ada.email, password } } })).status;
    await change(ada.password, renewed, 'two rakes in the barn');
    await page.getByText(/do(?:es)? not match/i).waitFor();
    await change('wrong', renewed, renewed);
    await page.getByText(/not your current|is wrong/i).waitFor();
    expect(await signIn(ada.password)).toBe(200);
    await change(ada.password, renewed, renewed);
    await page.getByText('Your password was changed').waitFor();
    expect([await signIn(ada.password), await signIn(renewed)]).toEqual([422, 200]);
    // This session stays.
    await page.reload();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Ada Green');
  });

  it('has mails written in the language that is chosen for pages, or for mails alone', async () => {
    const ada = await gardener(server);
    const language = () => ada.call('GET', '/api/users');
    const page = await openConsole(open, server, ada, '/settings?part=map');
    const choose = async (label: string, choice: string): Promise<void> => {
      await page.getByRole('button', { name: label }).click();
      await page.getByRole('option', { name: choice }).click();
    };
    await choose('Language', 'Français');
    await expect.poll(language).toMatchObject([{ language: 'French' }]);
    await page.goto(`${server.base}/console/account`);
    await choose('Langue des e-mails', 'English');
    await page.getByRole('button', { name: 'Enregistrer', exact: true }).click();
    await expect.poll(language).toMatchObject([{ language: 'English' }]);
    expect(await page.evaluate('document.documentElement.lang')).toBe('fr');
  });

  it('changes the address when the link in the mail to it is opened', async () => {
    const ada = await gardener(server);
    const page = await openConsole(open, server, ada, '/account');
    const email = uniqueEmail('new');
    await page.getByLabel('E-mail', { exact: true }).fill(email);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Open the link in the mail to your new address').waitFor();
    expect(await ada.call('GET', '/api/users')).toMatchObject([{ email: ada.email }]);
    await page.goto((await server.outbox.linkTo(email, 'verify')).href);
    await expect.poll(() => ada.call('GET', '/api/users')).toMatchObject([{ email }]);
  });

  it('exports everything, and replaces a garden by it only with the password', async () => {
    const [ada, bea] = [await gardener(server), await gardener(server, 'bea')];
    await ada.call('POST', '/api/tools', { name: 'Watering can' });
    await bea.call('POST', '/api/tools', { name: 'Old rake' });
    const secret = 'gärten und 庭園';
    const change = { password: bea.password, new_password: secret, new_password_confirmation: secret };
    await bea.call('PATCH', '/api/users', change);
    const from = await openConsole(open, server, ada, '/account?part=data');
    const download = async (word: string) => {
      const [file] = await Promise.all([
        from.waitForEvent('download'),
        from.getByRole('button', { name: word }).click(),
      ]);
      return file;
    };
    expect((await download('Export with photos')).suggestedFilename()).toMatch(/\.zip$/);
    const file = await download('Export without photos');
    expect(file.suggestedFilename()).toMatch(/\.json$/);

    const page = await openConsole(open, server, { ...bea, password: secret }, '/account?part=data');
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose a file' }).click();
    await (await chooser).setFiles(await file.path());
    const check = page.getByRole('button', { name: 'Check the file' });
    // The report that is awaited is not about another file.
    await page.route(
      '**/api/import?*',
      async (route) => {
        await page.getByRole('button', { name: 'Choose a file', disabled: true }).waitFor();
        await route.continue();
      },
      { times: 1 },
    );
    await check.click();
    // It is not empty.
    await page.getByText('The file cannot be imported. Nothing was changed.').waitFor();
    await page.getByRole('button', { name: 'What happens to the records of this garden' }).click();
    await page.getByRole('option', { name: /^They are deleted first/ }).click();
    await check.click();
    await page.getByText('The file can be imported. Nothing was changed yet.').waitFor();
    const password = page.getByLabel('Current password');
    await password.fill('wröng');
    await page.getByRole('button', { name: 'Import now' }).click();
    await page.getByText('The password is wrong.').waitFor();
    expect(await bea.call('GET', '/api/tools')).toMatchObject([{ name: 'Old rake' }]);
    await password.fill(secret);
    await page.getByRole('button', { name: 'Import now' }).click();
    await page.getByText('The replaced records are in a backup on the server').waitFor();
    expect(await bea.call('GET', '/api/tools')).toMatchObject([{ name: 'Watering can' }]);
  });
});
