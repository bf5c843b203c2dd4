import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const faults = readFileSync(join(import.meta.dirname, 'in-browser/faults.js'), 'utf8');

/** Texts with too little contrast, and horizontal overflow. */
export const faultsOf = (page: Page): Promise<string[]> => page.evaluate(faults);
