// The built server, which tells the bench how much memory it uses.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createApp } from '../dist/app.js';
import { readSettings } from '../dist/settings.js';

const { PASSWORDS, ...environment } = process.env;
const settings = readSettings(environment).settings ?? readSettings(environment);
// Thousands of accounts are made for some cases.
const passwordCost = PASSWORDS === 'cheap' ? { memoryCost: 8, timeCost: 1, parallelism: 1 } : undefined;
const app = await createApp(settings, { passwordCost });
await app.listen();
// Answers a message with the memory in use after a garbage collection, in MiB.
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');
process.on('message', () => {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  process.send((heapUsed + external) / 1024 / 1024);
});
process.on('SIGTERM', async () => {
  await app.close();
  process.exit(0);
});
