import { expect, it } from 'vitest';
import { suiteBrowser } from '../pages/browser.ts';
import { consoleServer, gardener, openAsViewer, openConsole } from './garden-page.ts';

const open = suiteBrowser();
const server = consoleServer();

it('shows a demo garden that has lived: on its bed, in photos, schedule, readings, logs and plans', async () => {
  const ada = await gardener(server);
  await ada.call('PATCH', '/api/device', { timezone: 'Europe/Paris' });
  await ada.call('POST', '/api/device/seed', { product_line: 'genesis_1.8', demo: true, past: true });
  await expect.poll(async () => (await ada.call('GET', '/api/saved_gardens')) as unknown[]).toHaveLength(1);

  const page = await openConsole(open, server, ada, '/map');
  await page.getByRole('button', { name: 'Lettuce, plant at 300, 560' }).waitFor();
  // The grid and three of one plant, to scale.
  const laid = page.locator('svg image[href*="/photos/"]');
  await expect.poll(() => laid.count()).toBe(18);
  expect(await laid.first().getAttribute('preserveAspectRatio')).toBe('none');

  await page.goto(`${server.base}/console/photos`);
  await expect.poll(() => page.locator('main img').count()).toBeGreaterThan(14);
  await page.goto(`${server.base}/console/schedule`);
  await page.getByText('Water all').first().waitFor();
  await page.getByText('A broccoli in pictures').first().waitFor();
  await page.goto(`${server.base}/console/sensors`);
  await page.getByRole('cell', { name: '2400, 700, -500' }).first().waitFor();
  await page.goto(`${server.base}/console/logs`);
  await page
    .getByText(/^Runs “?"?Water all"?”?, scheduled for 07:00\.$/)
    .first()
    .waitFor();

  // A viewer sees it, too.
  const guest = await gardener(server, 'guest');
  const viewer = await openAsViewer(open, server, ada, guest, '/map');
  await expect.poll(() => viewer.locator('svg image[href*="/photos/"]').count()).toBe(18);
});

it('says that a demo garden is being set up while it is empty, and offers the first plant in others', async () => {
  const ada = await gardener(server);
  /** Opens pages of a garden that was created just now, with or without the virtual robot of demo gardens. */
  const created =
    (running: boolean): typeof open =>
    async (options) => {
      const page = await open(options);
      for (const [path, values] of [
        ['device', { account_seeded_at: new Date().toISOString() }],
        ['virtual_robot', { running }],
      ] as const)
        await page.route(`**/api/${path}`, async (route) => {
          const response = await route.fetch();
          await route.fulfill({ response, json: { ...(await response.json()), ...values } });
        });
      return page;
    };
  const first = { name: 'Add the first plant' };
  const own = await openConsole(created(false), server, ada, '/map');
  await own.getByRole('button', first).waitFor();
  const demo = await openConsole(created(true), server, ada, '/map');
  await demo.getByRole('status').filter({ hasText: 'Setting up the garden…' }).waitFor();
  expect(await demo.getByRole('button', first).count()).toBe(0);
  await ada.call('POST', '/api/points', { pointer_type: 'Plant', name: 'Leek', x: 1, y: 2 });
  await demo.getByText('Setting up the garden…').waitFor({ state: 'hidden' });
});
