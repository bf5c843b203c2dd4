import { describe, expect, it } from 'vitest';
import { ownConsoleServer } from '../console/garden-page.ts';
import { suiteBrowser } from '../pages/browser.ts';
import { startFirefox } from './firefox.ts';
import { oldestChromium } from './oldest-chromium.ts';
import { Visitor } from './visitor.ts';
import { startWebKit } from './webkit.ts';

const openChromium = suiteBrowser();

/** The heights at which the columns of cards begin. */
const columnTops = `new Set(
  Object.values(
    [...document.querySelectorAll('main section')].reduce((tops, section) => {
      const { left, top } = section.getBoundingClientRect();
      if (!section.parentElement.closest('section')) tops[left] ??= Math.round(top);
      return tops;
    }, {}),
  ),
)`;

describe('the console and /docs', () => {
  const server = ownConsoleServer('sqlite', { EMAIL_VERIFICATION: 'off' });

  it.each([
    { browser: 'Firefox', start: startFirefox },
    { browser: 'WebKitGTK', start: startWebKit },
    {
      browser: 'Chromium',
      start: async () =>
        oldestChromium(await openChromium({ locale: 'en-US', viewport: { width: 1024, height: 768 } })),
    },
  ])(
    'lead from a new account to a photo in $browser, open all pages, and send requests',
    async ({ browser, start }) => {
      const driver = await start();
      const visitor = new Visitor(driver);
      const open = (path: string): Promise<void> => driver.open(server.base + path);
      try {
        expect(driver.name).toContain(browser);
        await open('/console/sign-up');
        await visitor.fill('Name', 'Ada');
        await visitor.fill('E-mail', `ada@${browser.toLowerCase()}.example`);
        await visitor.fill('Password', 'a rake in the shed');
        await visitor.press('Create account');
        await visitor.press('Show me first');
        await visitor.sees('Ready');

        await visitor.press('Spinach, plant at 600, 100');
        await visitor.press('Water');
        await visitor.press('Start watering');
        await visitor.sees('1 of 1 done.');

        await visitor.press('Emergency stop');
        await visitor.sees('The robot has stopped.');
        await visitor.press('Unlock');
        await visitor.sees('Ready');

        await open('/console/programs');
        await visitor.press('New program');
        await visitor.fill('Name', 'Greet');
        await visitor.press('Add a step');
        await visitor.press('Message');
        await visitor.fill('Message', 'Good morning.');
        await visitor.press('Save');
        await visitor.sees('Saved');
        await visitor.press('Run');
        await visitor.press('Run now');
        await visitor.sees('Done.');

        await open('/console/robot');
        await visitor.press('Take a photo');
        await visitor.waitFor('document.querySelector(\'img[alt^="Newest photo"]\')?.naturalWidth > 0');
        expect(await driver.evaluate(`${columnTops}.size`)).toBe(1);

        const pages = (await driver.evaluate(
          "[...document.querySelectorAll('nav a')].map((link) => link.textContent.trim())",
        )) as string[];
        expect(pages.length).toBeGreaterThan(10);
        for (const page of pages.filter((name) => name !== 'Sign out')) {
          await visitor.press(page);
          await visitor.waitFor(`document.querySelector('main h1')?.textContent === ${JSON.stringify(page)}`);
          expect(await driver.evaluate('document.body.innerText')).not.toContain('This did not work');
        }

        await open('/docs#/getPublicKey');
        await driver.enterFrame();
        // WebDriver of WebKitGTK has no pointer in frames.
        await visitor.waitFor("document.querySelector('#getPublicKey [type=submit]') !== null");
        await driver.evaluate("document.querySelector('#getPublicKey [type=submit]').click()");
        await visitor.sees('BEGIN PUBLIC KEY');
      } finally {
        await driver.close();
      }
    },
  );
});
