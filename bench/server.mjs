// The built server, with a listener for announcements when EVENTS=on, to measure their cost.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createApp } from '../dist/app.js';
import { readSettings } from '../dist/settings.js';

const { EVENTS, ...environment } = process.env;
const app = await createApp(readSettings(environment).settings ?? readSettings(environment));
let received = 0;
if (EVENTS === 'on') await app.attach(() => void received++);
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
  if (EVENTS === 'on') console.log(`announcements received: ${received}`);
  await app.close();
  process.exit(0);
});
