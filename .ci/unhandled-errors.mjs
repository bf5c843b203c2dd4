// A reporter for vitest: what the JSON report leaves out is written into the file that UNHANDLED_ERRORS names, as
// `[{file, message}]`: errors outside any test, which fail the whole run, and files whose tests never ran.
import { writeFileSync } from 'node:fs';

export default class UnhandledErrors {
  onTestRunEnd(modules, errors) {
    const neverRan = modules
      .filter((module) => !['passed', 'failed', 'skipped'].includes(module.state()))
      .map((module) => ({ file: module.moduleId, message: 'Its tests never ran.' }));
    const unhandled = errors.map((error) => ({
      // The error of a process that ended names no file: it is the one that the process left.
      file: error.VITEST_TEST_PATH ?? neverRan[0]?.file ?? null,
      message: [error.type, error.stack ?? error.message].filter(Boolean).join('\n'),
    }));
    writeFileSync(process.env.UNHANDLED_ERRORS, JSON.stringify([...neverRan, ...unhandled]));
  }
}
