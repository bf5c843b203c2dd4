// Audits pages of the console with Lighthouse 12, the last for Node 20: npm run lighthouse
//   npm run lighthouse -- map robot    only these pages
// Lighthouse is not a dependency: npx downloads it.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { freePort } from '../../bench/server-process.mjs';
import { chromiumOptions, openGarden, plantDemo } from './console-garden.mjs';

const chosen = process.argv.slice(2);
const pages = ['map', 'robot', 'programs', 'settings', 'sign-in'].filter(
  (page) => chosen.length === 0 || chosen.includes(page),
);
const categories = ['accessibility', 'best-practices'];
/** Of 100. */
const minScore = 95;

/** Audits an address in the browser at a port; returns the report. */
async function audit(address, port) {
  const { stdout } = await promisify(execFile)(
    'npx',
    [
      ...['--yes', 'lighthouse@12', address, `--port=${port}`, '--output=json', '--quiet', '--disable-storage-reset'],
      `--only-categories=${categories}`,
    ],
    { maxBuffer: 2 ** 28 },
  );
  const report = JSON.parse(stdout);
  // Without the session, the page would redirect to the sign-in.
  if (report.finalDisplayedUrl !== address) throw new Error(`${address} led to ${report.finalDisplayedUrl}`);
  return report;
}

/** The result of a report in a category: its score, and the audits that lower it. */
function resultOf({ categories: all, audits }, category) {
  const { score, auditRefs } = all[category];
  const failed = auditRefs.filter(({ id, weight }) => weight > 0 && audits[id].score !== null && audits[id].score < 1);
  const elements = ({ details }) => (details?.items ?? []).flatMap(({ node }) => (node ? [`\n  ${node.snippet}`] : []));
  return {
    score: Math.round(100 * score),
    failed: failed.map(({ id }) => `${id}: ${audits[id].title}${elements(audits[id]).join('')}`),
  };
}

const garden = await openGarden();
const profile = mkdtempSync(join(tmpdir(), 'potager-lighthouse-'));
const port = await freePort();
// The tabs that Lighthouse opens are in the context of the profile.
const context = await chromium.launchPersistentContext(profile, {
  ...chromiumOptions,
  args: [...chromiumOptions.args, `--remote-debugging-port=${port}`],
  locale: 'en-US',
});
try {
  await plantDemo(garden);
  await context.addInitScript(
    `if (location.pathname !== '/console/sign-in') sessionStorage.setItem('session', ${JSON.stringify(garden.session)})`,
  );
  console.info(`| page | ${categories.join(' | ')} |\n|---|${'---:|'.repeat(categories.length)}`);
  const problems = [];
  for (const page of pages) {
    const report = await audit(`${garden.base}/console/${page}`, port);
    const results = categories.map((category) => resultOf(report, category));
    console.info(`| ${[page, ...results.map(({ score }) => score)].join(' | ')} |`);
    problems.push(...results.flatMap(({ failed }) => failed.map((each) => `${page}: ${each}`)));
    if (results.some(({ score }) => score < minScore)) process.exitCode = 1;
  }
  if (problems.length > 0) console.info(`\n${problems.join('\n')}`);
} finally {
  await context.close();
  await garden.close();
  rmSync(profile, { recursive: true, force: true });
}
