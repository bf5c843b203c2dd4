// Reads vitest's JSON reports, prints the failed tests with their errors, and last a line with the numbers of tests passed,
// failed and left out. A file that could not be loaded is a failure without tests. Of a file that is in several reports, the
// last one counts: a file that failed is run once more, alone. `--files` prints the paths of the failed files instead.
import { readFileSync } from 'node:fs';

const reports = process.argv.slice(2).filter((word) => word !== '--files');
const files = new Map();
for (const report of reports)
  for (const file of JSON.parse(readFileSync(report, 'utf8')).testResults) {
    if (files.get(file.name)?.status === 'failed') printFailures('FAILED AT FIRST', files.get(file.name));
    files.set(file.name, file);
  }

if (process.argv.includes('--files')) {
  for (const { name, status } of files.values()) if (status === 'failed') console.log(name);
} else {
  const tests = [...files.values()].flatMap(({ assertionResults }) => assertionResults);
  const count = (...states) => tests.filter(({ status }) => states.includes(status)).length;
  const unloaded = [...files.values()].filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  );
  for (const file of files.values()) if (file.status === 'failed') printFailures('FAILED', file);
  const [passed, failed] = [count('passed'), count('failed') + unloaded.length];
  console.log(passed, failed, tests.length + unloaded.length - passed - failed);
}

/** Errors are cut: of a long log, often only the end is kept. */
function printFailures(label, { name, message, assertionResults }) {
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  if (failed.length === 0) console.log(`\n${label} ${name}\n${(message ?? '').slice(0, 2000)}`);
  for (const { fullName, failureMessages } of failed)
    console.log(`\n${label} ${name}: ${fullName}\n${failureMessages.join('\n').slice(0, 2000)}`);
}
