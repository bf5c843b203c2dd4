import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import { afterEach, beforeAll } from 'vitest';
import { lanAddress } from '../../src/http/server-urls.ts';
import { browserProgram } from '../support/browser-program.ts';

export const phone = { width: 390, height: 844 } as const;
export const desktop = { width: 1280, height: 800 } as const;

/** Milliseconds; enough for the viewer of /docs on a busy machine. */
const defaultTimeout = 60_000;

/** Pages show failed requests and connections themselves, and browsers ignore a header on unencrypted pages; any other console message is a bug. */
const isExpected = (text: string): boolean =>
  text.startsWith('Failed to load resource') ||
  /^WebSocket connection to '[^']*' failed: .*net::ERR_/.test(text) ||
  text.startsWith('LoadError') ||
  text.startsWith('The Cross-Origin-Opener-Policy header has been ignored');

/** Browsers warn of what they do not know in our headers. */
const isOfHeader = (text: string): boolean => text.startsWith('Error with Permissions-Policy header');

/** Characters of a page that a failed test prints. */
const maxPrinted = 1500;

/** What a page shows, for the errors of a failed test. */
async function textOf(page: Page): Promise<string> {
  const text = page.locator('body').innerText({ timeout: 5000 });
  return `${page.url()} showed: ${await text.then((all) => all.slice(0, maxPrinted), String)}`;
}

/** The browser of the worker, which ends with it: its files share it, because a start costs as much as a test. */
let running: Browser | null = null;

async function startedBrowser(): Promise<Browser> {
  if (running?.isConnected()) return running;
  running = await chromium.launch({
    executablePath: browserProgram,
    // vitest ends workers with it, and what Playwright does then keeps them running; the browser ends with its pipe.
    handleSIGTERM: false,
    // Test machines run as root, in containers, without a graphics card.
    // Pages must work without internet access. A route of Playwright would say so too, but would ask this process about
    // every request, and switch the browser's cache off.
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      '--disable-gpu',
      `--host-resolver-rules=MAP * ~NOTFOUND, ${['127.0.0.1', 'localhost', lanAddress()].map((host) => `EXCLUDE ${host}`).join(', ')}`,
    ],
  });
  return running;
}

/** Opens pages in Chromium for a file or suite. The returned function opens a page with empty storage; a test fails if one of its pages violates the policy or throws. */
export function suiteBrowser(): (options?: BrowserContextOptions) => Promise<Page> {
  let browser: Browser | null = null;
  const problems: string[] = [];
  beforeAll(async () => {
    browser = await startedBrowser();
  }, 60_000);
  afterEach(async ({ task }) => {
    for (const context of browser?.contexts() ?? []) {
      // Joins the errors of the test: often they are all that is left of a run.
      if (task.result?.state === 'fail') for (const page of context.pages()) problems.push(await textOf(page));
      await context.close();
    }
    const found = problems.splice(0);
    if (found.length > 0) throw new Error(found.join('\n'));
  });
  return async (options = {}) => {
    if (!browser) throw new Error('the browser did not start');
    const context = await browser.newContext({ viewport: desktop, ...options });
    context.setDefaultTimeout(defaultTimeout);
    const page = await context.newPage();
    page.on('console', (message) => {
      const text = message.text();
      if ((message.type() === 'error' && !isExpected(text)) || isOfHeader(text)) problems.push(text);
    });
    page.on('pageerror', (error) => problems.push(String(error)));
    return page;
  };
}

/** Reads an item of a page's local storage. */
export const storedIn = (page: Page, name: string): Promise<string | null> =>
  page.evaluate(`localStorage.getItem(${JSON.stringify(name)})`);
