import type { Frame, Page } from 'playwright-core';
import { newerNames } from '../../../scripts/browser-support.mjs';
import type { Action, Driver } from './driver.ts';

/** Deletes what a browser of console/browsers.json lacks, before any script of a page. */
const withoutNewer = `for (const [name, member] of ${JSON.stringify(newerNames())}) {
  const owner = name === 'Window' ? globalThis : globalThis[name];
  if (member === undefined) delete globalThis[name];
  else if (owner && member.endsWith('_static')) delete owner[member.slice(0, -'_static'.length)];
  else for (const each of [owner, owner?.prototype]) if (each) delete each[member];
}`;

/** Drives a page of Chromium as if it had only what the oldest browsers have. */
export async function oldestChromium(page: Page): Promise<Driver> {
  await page.addInitScript(withoutNewer);
  let shown: Page | Frame = page;
  const perform = async ({ type, x, y, value }: Action): Promise<void> => {
    if (type === 'pointerMove') await page.mouse.move(Number(x), Number(y));
    else if (type === 'pointerDown') await page.mouse.down();
    else if (type === 'pointerUp') await page.mouse.up();
    else if (type === 'keyDown') await page.keyboard.press(String(value));
  };
  return {
    name: `Chromium ${page.context().browser()?.version()}`,
    async open(address) {
      shown = page;
      await page.goto(address);
    },
    evaluate: (expression) => shown.evaluate(expression),
    async perform(sources) {
      for (const { actions } of sources) for (const action of actions as readonly Action[]) await perform(action);
    },
    async enterFrame() {
      shown = page.frames()[1] ?? page;
    },
    close: async () => undefined,
  };
}
