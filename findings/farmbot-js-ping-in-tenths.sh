#!/bin/sh
# farmbot-js 15.10.1: ping() resolves with tenths of a second, and its argument is milliseconds.
# Expected: the time of the round trip in milliseconds, the unit of its timeout (10000) and of LAST_PING_OUT, whose
# function is described as "Returns a timestamp in ms".
# Seen: 3 for a round trip of 300 ms, because that function divides by 100. So all round trips below 50 ms are 0 or 1, and
# two pings within a tenth of a second go to the same topic: the first pong answers both.
# Needs node and npm. Exits with 1 if this changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund farmbot@15.10.1 aedes@1.2.0 >/dev/null
cat >ping.mjs <<'END'
import { createServer } from 'node:net';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { Aedes } from 'aedes';
const { Farmbot } = createRequire(import.meta.url)('farmbot');
const broker = await Aedes.createBroker();
await new Promise((done) => createServer(broker.handle).listen(1883, '127.0.0.82', done));
const topics = [];
broker.on('publish', ({ topic, payload }) => {
  if (!topic.includes('/ping/')) return;
  topics.push(topic);
  setTimeout(() => broker.publish({ topic: topic.replace('ping', 'pong'), payload, qos: 0, retain: false }, () => {}), 300);
});
const claims = { bot: 'device_5', mqtt: '127.0.0.82', mqtt_ws: 'ws://127.0.0.82/ws' };
const bot = new Farmbot({ token: `e30.${btoa(JSON.stringify(claims))}.x` });
await bot.connect();
await sleep(300);
const began = performance.now();
const result = await bot.ping();
const ms = performance.now() - began;
// At the beginning of a tenth of a second: farmbot-js rounds, so it is in its middle.
await sleep(160 - (Date.now() % 100));
await Promise.all([bot.ping(), bot.ping()]);
const [, a, b] = topics;
console.log(result > 1 && result < 30 && Math.abs(result * 100 - ms) < 200 ? 'tenths' : `${result} for ${ms} ms`, a === b ? 'one topic' : 'two topics');
process.exit(0);
END
seen=$(node ping.mjs)
echo "farmbot 15.10.1 on node $(node --version): $seen"
[ "$seen" = 'tenths one topic' ]
