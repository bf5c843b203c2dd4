import { existsSync } from 'node:fs';

/** Chromium without windows needs a third of the CPU time of the whole browser, whose pages are the same. */
const [whole, shell] = ['/usr/bin/chromium', '/usr/bin/chromium-headless-shell'] as const;

/** The browser for tests of pages. */
export const browserProgram = existsSync(shell) ? shell : whole;
