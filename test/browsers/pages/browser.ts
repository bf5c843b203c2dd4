import type { Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import { afterEach, beforeAll } from 'vitest';
import { lanAddress } from '../../../src/http/server-urls.ts';
import { browserProgram } from '../../support/browser-program.ts';
import { desktop, type PageOptions, PagePool } from './page-pool.ts';

export { desktop };
export const phone = { width: 390, height: 844 } as const;

/** Pages show failed requests and connections themselves, and browsers ignore a header on unencrypted pages; any other console message is a bug. */
const isExpected = (text: string): boolean =>
  text.startsWith('Failed to load resource') ||
  /^WebSocket connection to '[^']*' failed: .*net::ERR_/.test(text) ||
  text.startsWith('LoadError') ||
  text.startsWith('The Cross-Origin-Opener-Policy header has been ignored');

/** Browsers warn of unknown parts of our headers. */
const isOfHeader = (text: string): boolean => text.startsWith('Error with Permissions-Policy header');

/** Characters of a page that a failed test prints. */
const maxPrinted = 1500;

/** The content of a page, for the errors of a failed test. */
async function textOf(page: Page): Promise<string> {
  const text = page.locator('body').innerText({ timeout: 5000 });
  return `${page.url()} showed: ${await text.then((all) => all.slice(0, maxPrinted), String)}`;
}

/** The pages of the worker's browser, which ends with it: its files share it, because a start costs as much as a test. */
let running: PagePool | null = null;

async function startedPool(): Promise<PagePool> {
  if (running?.isOpen) return running;
  const browser = await chromium.launch({
    executablePath: browserProgram,
    // vitest ends workers with it, and Playwright's reaction keeps them running; the browser ends with its pipe.
    handleSIGTERM: false,
    // Test machines run as root, in containers, without a graphics card.
    // Pages must work without internet access. A route of Playwright would say so too, but would ask this process about
    // every request, and switch the browser's cache off.
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      '--disable-gpu',
      // Pages of tests are closed before optimized code and a parallel garbage collector pay off.
      '--js-flags=--no-opt --no-maglev --single-threaded-gc',
      `--host-resolver-rules=MAP * ~NOTFOUND, ${['127.0.0.1', 'localhost', lanAddress()].map((host) => `EXCLUDE ${host}`).join(', ')}`,
    ],
  });
  running = new PagePool(browser);
  return running;
}

/** The problems of the pages of the current test. */
const problems: string[] = [];

/** The errors that the current test expects in the console of its pages. */
const expected: RegExp[] = [];

/** Lets pages of the current test write errors like this to the console; it fails if there is none. */
export const expectConsoleError = (pattern: RegExp): number => expected.push(pattern);

function noteProblems(page: Page): void {
  page.on('console', (message) => {
    const text = message.text();
    if ((message.type() === 'error' && !isExpected(text)) || isOfHeader(text)) problems.push(text);
  });
  page.on('pageerror', (error) => problems.push(String(error)));
}

/** Opens pages in Chromium for a file or suite. The returned function opens a page with empty storage; a test fails if one of its pages violates the policy or throws. */
export function suiteBrowser(): (options?: PageOptions) => Promise<Page> {
  let pool: PagePool | null = null;
  beforeAll(async () => {
    pool = await startedPool();
  }, 60_000);
  afterEach(async ({ task }) => {
    const hasFailed = task.result?.state === 'fail';
    // Joins the errors of the test: often they are all that is left of a run.
    if (hasFailed) for (const page of pool?.used ?? []) problems.push(await textOf(page));
    const all = problems.splice(0);
    const wanted = expected.splice(0);
    const found = [
      ...all.filter((text) => !wanted.some((pattern) => pattern.test(text))),
      ...wanted.filter((pattern) => !all.some((text) => pattern.test(text))).map((each) => `no error like ${each}`),
    ];
    await pool?.release(!hasFailed && found.length === 0);
    // Requests of a page that is left fail.
    problems.splice(0);
    if (found.length > 0) throw new Error(found.join('\n'));
  });
  return async (options = {}) => {
    if (!pool) throw new Error('the browser did not start');
    return pool.open(options, noteProblems);
  };
}

/** Reads an item of a page's local storage. */
export const storedIn = (page: Page, name: string): Promise<string | null> =>
  page.evaluate(`localStorage.getItem(${JSON.stringify(name)})`);
