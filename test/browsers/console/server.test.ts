import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { list } from 'tar';
import { describe, expect, it } from 'vitest';
import { suiteBrowser } from '../pages/browser.ts';
import { type Gardener, gardener, openConsole, ownConsoleServer } from './garden-page.ts';

const open = suiteBrowser();

describe('the server in the console', () => {
  const server = ownConsoleServer('sqlite');
  // The first account administers the server.
  let first: Gardener | undefined;
  const administrator = async () => (first ??= await gardener(server, 'root'));

  it('backs up by a click, shows its time immediately, runs a failed back-up again, and shows the archive', async () => {
    const page = await openConsole(open, server, await administrator(), '/account');
    await page.getByRole('link', { name: 'Server' }).click();
    const folder = join(server.dataDir, 'backups');
    const archives = page.getByRole('list', { name: 'Backups' }).getByText(/potager-/);
    const never = page.getByText('Never', { exact: true });
    await never.waitFor();
    await page.getByRole('button', { name: 'Back up now' }).click();
    await archives.waitFor();
    // Long before the state is read by itself again, which is every ten seconds.
    await never.waitFor({ state: 'detached', timeout: 4000 });
    await rm(folder, { recursive: true });
    await writeFile(folder, 'not a folder');
    await page.getByRole('button', { name: 'Back up now' }).click();
    await page.getByRole('link', { name: '1 failed for good' }).click();
    await page.getByText(/EEXIST|ENOTDIR/).waitFor();
    await rm(folder);
    await page.getByRole('button', { name: 'Retry back_up_server' }).click();
    await page.getByText('No job has failed').waitFor();
    await page.getByRole('link', { name: 'State' }).click();
    await archives.waitFor();
    const [archive = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tar'));
    const names: string[] = [];
    await list({ file: join(folder, archive), onReadEntry: ({ path }) => names.push(path) });
    expect(names.some((name) => name.endsWith('.sqlite'))).toBe(true);
    expect(names.filter((name) => name.includes('backups'))).toEqual([]);
  });

  it('says to others whom it is for, and is not in their navigation', async () => {
    await administrator();
    const page = await openConsole(open, server, await gardener(server), '/server');
    await page.getByText('This page is for the administrators of this server').waitFor();
    expect(await page.getByRole('link', { name: 'Failed jobs' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Server', exact: true }).count()).toBe(0);
    expect(await page.title()).toBe('State · Server · Potager');
  });

  it('draws the figures of the last day', async () => {
    const page = await openConsole(open, server, await administrator(), '/server');
    const samples = [0, 1, 2].map((minute) => ({
      at: new Date(Date.now() - (3 - minute) * 60_000).toISOString(),
      requests: 100 + minute,
      errors: 0,
      memory: 120 * 1024 * 1024,
      event_loop_delay: 1.5,
      jobs_waiting: null,
      http_connections: 3,
      broker_connections: 2,
    }));
    await page.getByRole('link', { name: 'Figures' }).click();
    await page.getByText('The first figures appear a minute after the start').waitFor();
    // As it is after minutes.
    await page.context().route('**/api/admin/figures', async (route) => {
      const figures = await (await route.fetch()).json();
      await route.fulfill({ json: { ...figures, samples } });
    });
    await page.reload();
    await page.getByRole('img', { name: 'Requests a minute: 102 now, from 100 to 102.' }).waitFor();
    await page.getByRole('img', { name: 'Memory: 120 MiB now, from 120 MiB to 120 MiB.' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Waiting background jobs' }).count()).toBe(0);
  });

  it('finds and disables a user', async () => {
    const root = await administrator();
    const bob = await gardener(server, 'bob');
    const page = await openConsole(open, server, root, '/server?part=users');
    await page.getByLabel('Find a user').fill(bob.email);
    await page.getByRole('button', { name: 'What to do with bob' }).click();
    await page.getByRole('menuitem', { name: 'Disable' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByText('Disabled', { exact: true }).waitFor();
    expect((await server.client.send('GET', '/api/device', { token: bob.token })).status).toBe(401);
  });

  it('changes limits of a user, those of sizes in MiB', async () => {
    const root = await administrator();
    const eve = await gardener(server, 'eve');
    const page = await openConsole(open, server, root, '/server?part=users');
    await page.getByLabel('Find a user').fill(eve.email);
    await page.getByRole('button', { name: 'What to do with eve' }).click();
    await page.getByRole('menuitem', { name: 'Limits' }).click();
    const size = page.getByLabel('Photos (MiB)');
    await page.getByText('0 used, at most 2,048.').waitFor();
    expect(await size.inputValue()).toBe('2048');
    await size.fill('1.5');
    await page.getByLabel('Photos', { exact: true }).fill('7');
    // The most that it may be is declared by the server, and named beside the field.
    await page.getByLabel('Points in the bed').fill('9000');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText(/^Points must be from 1 to 5000|^Points is too big/).waitFor();
    await page.getByLabel('Points in the bed').fill('2000');
    await page.getByLabel('Programs', { exact: true }).fill('200');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const limits = async () => {
      const { json } = await server.client.send('GET', `/api/admin/users/${eve.userId}/quotas`, { token: root.token });
      return json;
    };
    await expect.poll(limits).toMatchObject({ photo_bytes: { limit: 1.5 * 1024 * 1024 }, photos: { limit: 7 } });
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await root.call('GET', `/api/admin/users/${eve.userId}/limits`)).toMatchObject({
      points: 2000,
      sequences: 200,
    });
    // Passing the field does not round the limit that another program has set.
    await root.call('PATCH', `/api/admin/users/${eve.userId}/quotas`, { photo_bytes: 52_000_000 });
    await page.reload();
    await page.getByRole('button', { name: 'What to do with eve' }).click();
    await page.getByRole('menuitem', { name: 'Limits' }).click();
    await page.getByText('0 used, at most 49.6.').waitFor();
    expect(await size.inputValue()).toBe('49.591');
    await size.focus();
    await page.getByLabel('Photos', { exact: true }).fill('8');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(limits).toMatchObject({ photo_bytes: { limit: 52_000_000 }, photos: { limit: 8 } });
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await root.call('PATCH', `/api/admin/users/${eve.userId}/quotas`, { photo_bytes: 1.5 * 1024 * 1024 });
    await page.reload();
    // Empty is the general limit again.
    await page.getByRole('button', { name: 'What to do with eve' }).click();
    await page.getByRole('menuitem', { name: 'Limits' }).click();
    await page.getByText('0 used, at most 1.5.').waitFor();
    await size.fill('');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(limits).toMatchObject({ photo_bytes: { limit: 2048 * 1024 * 1024 }, photos: { limit: 8 } });
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});
