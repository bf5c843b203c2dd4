import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';

export const phone = { width: 390, height: 844 } as const;
export const desktop = { width: 1280, height: 800 } as const;

/** Milliseconds. */
const patience = 15_000;

/** Failing requests are said by the pages themselves; what else stands in the console is a fault of ours. */
const isExpected = (text: string): boolean => text.startsWith('Failed to load resource');

/** Chromium for all tests of the suite around. The function opens a page with an empty store; a test fails when one of its pages breaks the policy or throws. */
export function suiteBrowser(): (options?: BrowserContextOptions) => Promise<Page> {
  let browser: Browser | null = null;
  const problems: string[] = [];
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: '/usr/bin/chromium',
      // Test machines run as root, in containers.
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
    });
  }, 60_000);
  afterEach(async () => {
    for (const context of browser?.contexts() ?? []) await context.close();
    expect(problems.splice(0)).toEqual([]);
  });
  afterAll(async () => browser?.close());
  return async (options = {}) => {
    if (!browser) throw new Error('the browser did not start');
    const context = await browser.newContext({ viewport: desktop, ...options });
    context.setDefaultTimeout(patience);
    const page = await context.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error' && !isExpected(message.text())) problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(String(error)));
    // Nothing is fetched from outside: tests run without internet, and pages must work there.
    await context.route(
      (url) => !['127.0.0.1', 'localhost'].includes(url.hostname),
      (route) => route.abort(),
    );
    return page;
  };
}

/** What a page keeps in its local store under a name. */
export const storedIn = (page: Page, name: string): Promise<string | null> =>
  page.evaluate(`localStorage.getItem(${JSON.stringify(name)})`);
