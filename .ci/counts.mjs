// Reads vitest's JSON reports, prints the failed tests with their errors, and last a line with the numbers of tests passed,
// failed and left out. A file that failed outside its tests is a failure of its own. A report NAME.second.json is of the files
// that failed in NAME.json and were run once more, alone: it counts instead. `--files` prints the paths of the failed files.
// A report NAME.json may have a file NAME.errors beside it, which `.ci/unhandled-errors.mjs` wrote.
import { existsSync, readFileSync } from 'node:fs';

const reports = process.argv.slice(2).filter((word) => word !== '--files');
/** By report and file: a file may run on each engine, in different reports. */
const files = new Map();
for (const report of reports) {
  const key = (name) => `${report.replace(/(\.second)?\.json$/, '')} ${name}`;
  for (const file of JSON.parse(readFileSync(report, 'utf8')).testResults) {
    const earlier = files.get(key(file.name));
    if (earlier?.status === 'failed') printFailures('FAILED AT FIRST', earlier);
    files.set(key(file.name), file);
  }
  for (const { file, message } of errorsBeside(report)) {
    const name = file ?? `${report}, outside any file`;
    files.set(key(name), { assertionResults: [], ...files.get(key(name)), name, status: 'failed', message });
  }
}

if (process.argv.includes('--files')) {
  for (const { name, status } of files.values()) if (status === 'failed' && existsSync(name)) console.log(name);
} else {
  const tests = [...files.values()].flatMap(({ assertionResults }) => assertionResults);
  const count = (...states) => tests.filter(({ status }) => states.includes(status)).length;
  const outsideTests = [...files.values()].filter(
    (file) => file.status === 'failed' && failedTests(file).length === 0,
  ).length;
  for (const file of files.values()) if (file.status === 'failed') printFailures('FAILED', file);
  const [passed, failed] = [count('passed'), count('failed')];
  console.log(passed, failed + outsideTests, tests.length - passed - failed);
}

function errorsBeside(report) {
  const path = report.replace(/\.json$/, '.errors');
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : [];
}

function failedTests({ assertionResults }) {
  return assertionResults.filter(({ status }) => status === 'failed');
}

/** Errors are cut: of a long log, often only the end is kept. */
function printFailures(label, file) {
  const failed = failedTests(file);
  if (failed.length === 0) console.log(`\n${label} ${file.name}\n${(file.message ?? '').slice(0, 2000)}`);
  for (const { fullName, failureMessages } of failed)
    console.log(`\n${label} ${file.name}: ${fullName}\n${failureMessages.join('\n').slice(0, 2000)}`);
}
