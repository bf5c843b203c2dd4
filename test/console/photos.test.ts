import { expect, it } from 'vitest';
import { phone, suiteBrowser } from '../pages/browser.ts';
import { describeEngines } from '../support/engines.ts';
import { consoleServer, gardener, openConsole, seedGarden, startRobot } from './garden-page.ts';

const open = suiteBrowser();

describeEngines('photos of the console', (engine) => {
  const server = consoleServer(engine);

  it('shows a photo as soon as the robot took it, full screen, and deletes it after a question', async () => {
    const ada = await gardener(server);
    await seedGarden(ada);
    for (const { id } of (await ada.call('GET', '/api/images')) as { id: number }[])
      await ada.call('DELETE', `/api/images/${id}`);
    await expect.poll(() => ada.call('GET', '/api/images')).toEqual([]);
    await startRobot(ada);
    const page = await openConsole(open, server, ada, '/photos', { viewport: phone });
    await page.getByText('No photos yet').waitFor();
    await page.getByRole('button', { name: 'Take a photo' }).click();
    const tile = page.getByRole('link', { name: /^Photo of .*, x \d+, y \d+, z -?\d+ mm$/ });
    await tile.waitFor();

    // Another one, which the console did not ask for.
    await ada.call('POST', '/api/commands', { program: { kind: 'take_photo', args: {} }, wait: 60 });
    await expect.poll(() => tile.count()).toBe(2);

    await tile.first().click();
    const viewer = page.getByRole('dialog', { name: /1 of 2/ });
    await viewer.getByRole('img', { name: /^Photo of/ }).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('dialog', { name: /2 of 2/ }).waitFor();
    expect(await page.getByRole('button', { name: 'Older photo' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await expect.poll(() => page.getByRole('button', { name: 'Whole photo' }).isEnabled()).toBe(true);
    await page.keyboard.press('0');
    await expect.poll(() => page.getByRole('button', { name: 'Whole photo' }).isEnabled()).toBe(false);
    // Nothing covers the stop.
    await page.getByRole('button', { name: 'Emergency stop' }).click({ trial: true });

    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('alertdialog', { name: 'Delete this photo?' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog', { name: /1 of 1/ }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => tile.count()).toBe(1);
    await expect.poll(async () => ((await ada.call('GET', '/api/images')) as unknown[]).length).toBe(1);

    // Photos come and go with their files: the history offers no way back, and says so before it undoes an hour.
    await page.goto(`${server.base}/console/history`);
    await page
      .getByRole('link', { name: /^Added: photo/ })
      .first()
      .waitFor();
    expect(await page.getByRole('button', { name: /^Undo: .*photo/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Undo the last hour' }).click();
    await page.getByText('Photos that were taken in this hour are deleted with it').waitFor();
  });
});
