import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { numberAt } from '../../support/json.ts';
import { suiteBrowser } from '../pages/browser.ts';
import { consoleServer, gardener, openConsole } from './garden-page.ts';

const open = suiteBrowser();

/** A field and its input. */
interface Typed {
  readonly label: string;
  readonly text: string;
}

describe('input that was not saved', () => {
  const server = consoleServer();

  /** Checks that the text is still in the field after the back button and after a reload. */
  async function staysThere(page: Page, { label, text }: Typed): Promise<void> {
    const field = () => page.getByLabel(label, { exact: true });
    await field().fill(text);
    const address = page.url();
    await page.getByRole('link', { name: 'Logs' }).first().click();
    await page.waitForURL('**/console/logs*');
    await page.goBack();
    await page.waitForURL(address);
    await expect.poll(() => field().inputValue()).toBe(text);
    await page.reload();
    await expect.poll(() => field().inputValue()).toBe(text);
  }

  it('stays in the form of a plant, also when the server cannot be reached, and after signing out and in', async () => {
    const ada = await gardener(server);
    const plant = await ada.call('POST', '/api/points', {
      pointer_type: 'Plant',
      name: 'Tomato',
      openfarm_slug: 'tomato',
      x: 100,
      y: 200,
      z: 0,
    });
    const page = await openConsole(open, server, ada, `/map?point=${numberAt(plant, 'id')}`);
    const name = page.getByLabel('Name', { exact: true });
    await staysThere(page, { label: 'Name', text: 'Tomato by the door' });
    await page.context().route('**/api/points/*', async (route) => {
      // Typed while the other field is on its way.
      await page.getByLabel('x (mm)', { exact: true }).fill('150');
      await route.abort();
    });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The server cannot be reached').first().waitFor();
    expect(await name.inputValue()).toBe('Tomato by the door');
    await page.getByLabel('x (mm)', { exact: true }).fill('100');
    await page.context().unroute('**/api/points/*');
    await page.getByText('The server cannot be reached').waitFor({ state: 'detached' });

    // The session ends on the server: the page asks to sign in again. Failed reads until that is loaded are not its failure.
    await page.context().route(
      '**/api/points/*',
      async (route) => {
        await server.client.send('DELETE', '/api/sessions', { token: ada.token });
        await route.continue();
      },
      { times: 1 },
    );
    await page.context().route('**/sign-in-page-*.js', async (route) => {
      await page.getByRole('link', { name: 'Set up a robot' }).waitFor();
      await route.continue();
    });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByLabel('E-mail').fill(ada.email);
    await page.getByLabel('Password').fill(ada.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect.poll(() => name.inputValue()).toBe('Tomato by the door');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/was changed/).waitFor();
  });

  it('has the message of a failed save above the buttons, also on a phone', async () => {
    const ada = await gardener(server);
    const place = { x: 100, y: 200, z: 0 };
    const weed = await ada.call('POST', '/api/points', { pointer_type: 'Weed', name: 'Nettle', ...place });
    const options = { locale: 'fr-FR', viewport: { width: 320, height: 640 } };
    const page = await openConsole(open, server, ada, `/map?point=${numberAt(weed, 'id')}`, options);
    await page.getByLabel('Nom', { exact: true }).fill('Ortie');
    await page.route('**/api/points/*', (route) => route.abort());
    const save = page.getByRole('button', { name: 'Enregistrer' });
    await save.click();
    const message = page.getByRole('alert').filter({ hasText: 'Le serveur est injoignable.' });
    await expect
      .poll(async () => {
        const [shown, bar] = [await message.boundingBox(), await save.boundingBox()];
        return shown !== null && bar !== null && shown.y + shown.height <= bar.y;
      })
      .toBe(true);
  });

  it('stays in the name of a group that is made on the map, and of a folder', async () => {
    const ada = await gardener(server);
    const place = { x: 100, y: 200, z: 0 };
    const weed = await ada.call('POST', '/api/points', { pointer_type: 'Weed', name: 'Nettle', ...place });
    const page = await openConsole(open, server, ada, `/map?point=${numberAt(weed, 'id')}&panel=group`);
    await staysThere(page, { label: 'Name', text: 'Pull them' });
    await page.goto(`${server.base}/console/programs`);
    const folder = async () => {
      await page.getByRole('button', { name: 'New folder' }).first().click();
      return page.getByRole('dialog').getByLabel('Name', { exact: true });
    };
    await (await folder()).fill('Winter');
    await page.reload();
    expect(await (await folder()).inputValue()).toBe('Winter');
  });

  it('stays in the form of an event', async () => {
    const ada = await gardener(server);
    await ada.call('POST', '/api/sequences', { name: 'Water', body: [{ kind: 'sync', args: {} }] });
    const page = await openConsole(open, server, ada, '/schedule?date=2031-06-01');
    await page.getByRole('link', { name: 'Schedule something on Tuesday, June 10' }).click();
    const time = page.getByLabel('Time', { exact: true });
    await time.fill('06:15');
    await page.goBack();
    await time.waitFor({ state: 'detached' });
    await page.goForward();
    await expect.poll(() => time.inputValue()).toBe('06:15');
    await page.reload();
    await expect.poll(() => time.inputValue()).toBe('06:15');
  });

  it('is given up only after a question', async () => {
    const ada = await gardener(server);
    const plant = await ada.call('POST', '/api/points', {
      pointer_type: 'Plant',
      name: 'Tomato',
      openfarm_slug: 'tomato',
      x: 100,
      y: 200,
      z: 0,
    });
    await ada.call('POST', '/api/tools', { name: 'Watering can' });
    const page = await openConsole(open, server, ada, `/map?point=${numberAt(plant, 'id')}`);
    const name = page.getByLabel('Name', { exact: true });
    const question = page.getByRole('alertdialog', { name: 'Discard your changes?' });
    await name.fill('Potato');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await name.inputValue()).toBe('Potato');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await question.getByRole('button', { name: 'Discard', exact: true }).click();
    await expect.poll(() => name.inputValue()).toBe('Tomato');

    await page.goto(`${server.base}/console/things/tools`);
    await page.getByRole('link', { name: 'Watering can' }).click();
    await name.fill('Rake');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await question.getByRole('button', { name: 'Discard', exact: true }).click();
    await expect.poll(() => name.inputValue()).toBe('Watering can');
  });

  it('stays in a setting, which says that it is not saved', async () => {
    const ada = await gardener(server);
    const page = await openConsole(open, server, ada, '/settings?part=garden');
    // Leaving the field saves it: without a server it stays.
    await page
      .context()
      .route('**/api/device', (route) => (route.request().method() === 'PATCH' ? route.abort() : route.continue()));
    await staysThere(page, { label: 'Name of the garden', text: 'Behind the house' });
    await page.getByText('Not saved yet').waitFor();
    await page.context().unroute('**/api/device');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('“Name of the garden” was saved.').waitFor();
    await page.getByText('Not saved yet').waitFor({ state: 'detached' });
    expect(await ada.call('GET', '/api/device')).toMatchObject({ name: 'Behind the house' });
  });

  it('stays in numbers that are changed elsewhere, until it is saved or discarded', async () => {
    const ada = await gardener(server);
    const plant = await ada.call('POST', '/api/points', {
      pointer_type: 'Plant',
      name: 'Tomate',
      openfarm_slug: 'tomato',
      x: 100,
      y: 200,
      z: 0,
    });
    const page = await openConsole(open, server, ada, '/settings?part=os', { locale: 'fr-FR' });
    const height = page.getByLabel('Hauteur sûre', { exact: true });
    await height.fill('-77');
    await ada.call('PATCH', '/api/fbos_config', { safe_height: -12 });
    await page.getByText('Modifié ailleurs entre-temps : -12.').waitFor();
    expect(await height.inputValue()).toBe('-77');
    await height.press('Tab');
    await page.getByText('Pas encore enregistré').waitFor();
    await page.getByRole('button', { name: 'Abandonner ce qui a été saisi pour « Hauteur sûre »' }).click();
    const question = page.getByRole('alertdialog', { name: 'Abandonner vos modifications ?' });
    await question.getByRole('button', { name: 'Abandonner', exact: true }).click();
    await expect.poll(() => height.inputValue()).toBe('-12');

    await height.fill('-78');
    await ada.call('PATCH', '/api/fbos_config', { safe_height: -13 });
    await page.getByText('Modifié ailleurs entre-temps : -13.').waitFor();
    await height.press('Tab');
    await page.getByRole('button', { name: 'Enregistrer', exact: true }).click();
    await page.getByText('« Hauteur sûre » a été enregistré.').waitFor();
    expect(await ada.call('GET', '/api/fbos_config')).toMatchObject({ safe_height: -78 });

    await page.goto(`${server.base}/console/map?point=${numberAt(plant, 'id')}`);
    const x = page.getByLabel('x (mm)', { exact: true });
    await x.fill('150');
    await ada.call('PATCH', `/api/points/${numberAt(plant, 'id')}`, { x: 300, name: 'Cornue' });
    await page
      .getByRole('status')
      .getByText('« x (mm) » a été modifié entre-temps : « 300 ». L’enregistrement le remplacera.')
      .waitFor();
    expect(await x.inputValue()).toBe('150');
    expect(await page.getByLabel('Nom', { exact: true }).inputValue()).toBe('Cornue');
    // Back to the stored value at the beginning of the change: that is a change now.
    await x.fill('100');
    await ada.call('PATCH', `/api/points/${numberAt(plant, 'id')}`, { name: 'Cœur de bœuf', plant_stage: 'planted' });
    await page.getByRole('heading', { name: 'Cœur de bœuf' }).waitFor();
    const y = page.getByLabel('y (mm)', { exact: true });
    await page.context().route(
      '**/api/points/*',
      async (route) => {
        await x.fill('120');
        await y.fill('250');
        await route.continue();
      },
      { times: 1 },
    );
    await page.getByRole('button', { name: 'Enregistrer', exact: true }).click();
    await page.getByText('Modification : Cœur de bœuf.').waitFor();
    // Later input waits to be saved; the saved value is not called a change of others.
    expect([await x.inputValue(), await y.inputValue()]).toEqual(['120', '250']);
    expect(await page.getByText('a été modifié entre-temps').count()).toBe(0);
    expect(await ada.call('GET', `/api/points/${numberAt(plant, 'id')}`)).toMatchObject({
      name: 'Cœur de bœuf',
      plant_stage: 'planted',
      x: 100,
      y: 200,
    });
  });

  it('stays in the form of a webhook, beside the server’s message about it', async () => {
    const ada = await gardener(server);
    const page = await openConsole(open, server, ada, '/account?part=webhooks');
    const typed = { label: 'Address', text: 'ftp://garden.example/hook' };
    await staysThere(page, typed);
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByText('Address (URL) must be an http or https address.').waitFor();
    expect(await page.getByLabel(typed.label).inputValue()).toBe(typed.text);
  });
});
