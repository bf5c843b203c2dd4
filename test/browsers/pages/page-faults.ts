import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame, Page, ViewportSize } from 'playwright-core';

const faults = readFileSync(join(import.meta.dirname, 'in-browser/faults.js'), 'utf8');

/** Returns texts with too little contrast, and horizontal overflow, on each viewport, in light and dark mode; `of`: a frame of the page. */
export async function faultsOf(
  page: Page,
  viewports: readonly ViewportSize[],
  of: readonly (Page | Frame)[] = [page],
): Promise<string[]> {
  const found: string[] = [];
  for (const viewport of viewports)
    for (const colorScheme of ['light', 'dark'] as const) {
      // Without loading it again.
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      for (const document of of)
        for (const fault of await document.evaluate<string[]>(faults))
          found.push(`${viewport.width} ${colorScheme}: ${fault}`);
    }
  return found;
}
