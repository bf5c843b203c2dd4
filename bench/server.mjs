// The built server, with a listener for announcements when EVENTS=on, to measure their cost.
import { createApp } from '../dist/app.js';
import { readSettings } from '../dist/settings/settings.js';

const { EVENTS, ...environment } = process.env;
const app = await createApp(readSettings(environment).settings ?? readSettings(environment));
let received = 0;
if (EVENTS === 'on') await app.attach(() => void received++);
await app.listen();
process.on('SIGTERM', async () => {
  if (EVENTS === 'on') console.log(`announcements received: ${received}`);
  await app.close();
  process.exit(0);
});
