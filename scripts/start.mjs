// Builds if necessary, then runs the program in the same process, so that it receives signals.
import './build-once.mjs';

const { run } = await import('../dist/main.js');
await run(process.argv);
