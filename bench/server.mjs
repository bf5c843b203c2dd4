// The built server, which reports to the bench how much memory and time it uses.
import { Session } from 'node:inspector/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createApp } from '../dist/app.js';
import { readSettings } from '../dist/settings.js';

const { PASSWORDS, ...environment } = process.env;
const settings = readSettings(environment).settings ?? readSettings(environment);
// Some cases create thousands of accounts.
const passwordCost = PASSWORDS === 'cheap' ? { memoryCost: 8, timeCost: 1, parallelism: 1 } : undefined;
const app = await createApp(settings, { passwordCost });
await app.listen();
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');
const inspector = new Session();
/** The figures that the bench can request, by the name of the message. */
const answers = {
  /** The memory in use after a garbage collection, in MiB. */
  memory() {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return (heapUsed + external) / 1024 / 1024;
  },
  /** V8's heap, the part in use including garbage, and buffers outside of it, in MiB. */
  heap() {
    const { heapTotal, heapUsed, external } = process.memoryUsage();
    const [heap, used, buffers] = [heapTotal, heapUsed, external].map((bytes) => bytes / 1024 / 1024);
    return { heap, used, buffers };
  },
  async startProfile() {
    inspector.connect();
    await inspector.post('Profiler.enable');
    await inspector.post('Profiler.setSamplingInterval', { interval: 250 });
    await inspector.post('Profiler.start');
    return 'started';
  },
  /** The profile, as V8 describes it. */
  async stopProfile() {
    const { profile } = await inspector.post('Profiler.stop');
    inspector.disconnect();
    return profile;
  },
};
process.on('message', async (name) => process.send(await answers[name]()));
process.on('SIGTERM', async () => {
  await app.close();
  process.exit(0);
});
