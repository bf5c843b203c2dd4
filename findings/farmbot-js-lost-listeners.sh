#!/bin/sh
# farmbot-js 15.10.1: listeners of an event are lost in two ways.
# Expected, as of Node's EventEmitter and of DOM events: a listener stays until it is removed.
# Seen: 1. A listener that throws once is never called again: emit() keeps only those that returned. The exception itself
#          is printed and swallowed, so a program that shows a log goes quiet after one bad message.
#       2. A listener that is added by a listener of the same event is never called: emit() replaces the list by those
#          that it began with.
# Needs node and npm. Exits with 1 if this changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund farmbot@15.10.1 >/dev/null
cat >listen.cjs <<'END'
const { Farmbot } = require('farmbot');
console.warn = console.dir = () => {};
const claims = { bot: 'device_5', mqtt: 'garden.local', mqtt_ws: 'ws://garden.local/ws' };
const bot = new Farmbot({ token: `e30.${btoa(JSON.stringify(claims))}.x` });
let [thrown, first, added] = [0, 0, 0];
bot.on('logs', () => {
  thrown++;
  throw new Error('cannot show this one');
});
bot.on('status', () => {
  if (first++ === 0) bot.on('status', () => added++);
});
for (let i = 0; i < 3; i++) for (const event of ['logs', 'status']) bot.emit(event, {});
console.log(`throws: called ${thrown} of 3; adds: called ${first} of 3; added: called ${added} of 2`);
END
seen=$(node listen.cjs)
echo "farmbot 15.10.1 on node $(node --version): $seen"
[ "$seen" = 'throws: called 1 of 3; adds: called 3 of 3; added: called 0 of 2' ]
