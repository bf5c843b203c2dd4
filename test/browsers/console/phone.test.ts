import { describe, expect, it } from 'vitest';
import { phone, suiteBrowser } from '../pages/browser.ts';
import { consoleServer, gardener, openConsole, seedGarden, startRobot } from './garden-page.ts';

const open = suiteBrowser();
const touching = { viewport: phone, hasTouch: true, isMobile: true };

describe('a phone', () => {
  const server = consoleServer();

  it('shows the bed turned when it is held upright, plants that a finger hits, and the plant before its buttons', async () => {
    const ada = await gardener(server);
    const planted_at = new Date(Date.now() - 23.5 * 86_400_000).toISOString();
    const kale = { pointer_type: 'Plant', name: 'Kale', openfarm_slug: 'kale', x: 1500, y: 600, z: 0, planted_at };
    await ada.call('POST', '/api/points', kale);
    const page = await openConsole(open, server, ada, '/map', touching);
    const bed = page.getByRole('group', { name: /^Garden bed/ });
    const box = await bed.boundingBox();
    // Nearly all of the screen between the header and the navigation.
    expect(box?.height).toBeGreaterThan(phone.height / 2);
    expect(box?.height).toBeGreaterThan(Number(box?.width));
    const mark = await page.getByRole('button', { name: /^Kale/ }).boundingBox();
    if (!mark) throw new Error('the plant is not shown');
    await page.touchscreen.tap(mark.x + mark.width / 2 + 20, mark.y + mark.height / 2);
    const panel = page.getByRole('region', { name: 'Kale' });
    const about = await panel.getByText('Planted 23 days ago').boundingBox();
    const water = await panel.getByRole('button', { name: 'Water', exact: true }).boundingBox();
    expect(about?.y).toBeLessThan(Number(water?.y));
    await panel.getByText(/^\d+ mm wide, \d+ mm when grown$/).waitFor();
    await page.setViewportSize({ width: phone.height, height: phone.width });
    await expect
      .poll(async () => {
        const turned = await bed.boundingBox();
        return turned !== null && turned.width > turned.height;
      })
      .toBe(true);
  });

  it('shows what moves the robot before facts about software', async () => {
    const ada = await gardener(server);
    await seedGarden(ada);
    await startRobot(ada);
    const page = await openConsole(open, server, ada, '/robot', touching);
    const titles = page.locator('main h2');
    await page.getByRole('heading', { name: 'Connection and software' }).waitFor();
    await expect
      .poll(() => titles.allInnerTexts())
      .toEqual([
        ...['State', 'Move', 'Pinned programs', 'Peripherals', 'Tools', 'Camera', 'Health'],
        ...['Connection and software', 'Pins', 'Power', 'A robot to try'],
      ]);
  });
});
