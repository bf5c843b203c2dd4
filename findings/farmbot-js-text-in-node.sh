#!/bin/sh
# farmbot-js 15.10.1 in Node.js 20: text beyond ASCII in messages of a robot arrives as one character for each byte.
# Expected: a log with the message "21 °C" is "21 °C" in the listener, as in browsers. MQTT carries JSON, which is UTF-8.
# Seen: "21 Â°C". The library looks for TextDecoder in the globals `util` and `window`, which a module of Node.js does not
# have, although Node.js has a global TextDecoder, and then takes each byte for a character. With `globalThis.util` set
# before it is loaded, the text is right. What the library sends is right in both cases.
# Needs node and npm. Exits with 1 if this changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund farmbot@15.10.1 aedes@1.2.0 >/dev/null
cat >talk.mjs <<'END'
import { createServer } from 'node:net';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import * as nodeUtil from 'node:util';
import { Aedes } from 'aedes';
if (process.argv[2] === 'with util') globalThis.util = nodeUtil;
const { Farmbot } = createRequire(import.meta.url)('farmbot');
const broker = await Aedes.createBroker();
await new Promise((done) => createServer(broker.handle).listen(1883, '127.0.0.81', done));
const claims = { bot: 'device_5', mqtt: '127.0.0.81', mqtt_ws: 'ws://127.0.0.81/ws' };
const bot = new Farmbot({ token: `e30.${btoa(JSON.stringify(claims))}.x` });
await bot.connect();
const heard = new Promise((done) => bot.on('logs', ({ message }) => done(message)));
const sent = new Promise((done) => broker.on('publish', ({ topic, payload }) => topic.endsWith('from_clients') && done(JSON.parse(payload))));
await sleep(300);
broker.publish({ topic: 'bot/device_5/logs', payload: Buffer.from(JSON.stringify({ message: '21 °C' })), qos: 0, retain: false }, () => {});
bot.lua('toast("21 °C")').catch(() => {});
console.log(JSON.stringify({ heard: await heard, sent: (await sent).body[0].args.lua }));
process.exit(0);
END
plain=$(node talk.mjs)
helped=$(node talk.mjs 'with util')
echo "farmbot 15.10.1 on node $(node --version): $plain; with util: $helped"
[ "$plain" = '{"heard":"21 Â°C","sent":"toast(\"21 °C\")"}' ] && [ "$helped" = '{"heard":"21 °C","sent":"toast(\"21 °C\")"}' ]
