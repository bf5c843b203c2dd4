// Builds if need be, then is the program: one process, so that signals reach it.
import './build-once.mjs';

const { run } = await import('../dist/main.js');
await run(process.argv);
