#!/bin/sh
# farmbot-js 15.10.1 in Node.js: it connects to port 1883 without TLS, whatever the token and its options say.
# Expected: where the token says `wss:` (robots then use TLS on port 8883), or with the option `secure: true`, which is
# the default, the connection is encrypted.
# Seen: `mqtt://HOST:1883` for every token; `secure` is kept in the configuration and read by nothing. In browsers, the
# library uses the address in `mqtt_ws`. A server that offers 8883 only is not reached from Node.js, unless the program
# sets the address itself: setConfig('mqttServer', …) before connect() works.
# Needs node and npm. Exits with 1 if this changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund farmbot@15.10.1 >/dev/null
cat >address.cjs <<'END'
const { Farmbot } = require('farmbot');
const claims = { bot: 'device_5', mqtt: 'garden.example', mqtt_ws: 'wss://garden.example/ws' };
const token = `e30.${btoa(JSON.stringify(claims))}.x`;
console.log([undefined, true, false].map((secure) => new Farmbot({ token, secure }).getConfig('mqttServer')).join(' '));
END
seen=$(node address.cjs)
uses=$(grep -rlE "getConfig\(.secure.\)|config\.secure" node_modules/farmbot/dist --include='*.js' | grep -v single_file | wc -l)
echo "farmbot 15.10.1 on node $(node --version): $seen; files that read secure: $uses"
[ "$seen" = 'mqtt://garden.example:1883 mqtt://garden.example:1883 mqtt://garden.example:1883' ] && [ "$uses" -eq 0 ]
