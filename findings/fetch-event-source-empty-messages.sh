#!/bin/sh
# @microsoft/fetch-event-source 2.0.1 (npm): blocks of an event stream without data reach onmessage.
# Expected: the HTML standard dispatches no event where the data is empty: neither for a comment with an empty line after
# it, which servers send to keep a connection open, nor for an id alone, which only says where the stream begins.
# Seen: onmessage is called for both, with empty data and no name: a `JSON.parse(data)` in it throws, and the stream is
# requested again. A comment without an empty line after it calls nothing, and the event after it arrives.
# Needs node and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @microsoft/fetch-event-source@2.0.1 >/dev/null
cat >messages.cjs <<'END'
const { createServer } = require('node:http');
// What it uses of a browser.
globalThis.document = { hidden: false, removeEventListener() {} };
globalThis.window = globalThis;
const { fetchEventSource } = require('@microsoft/fetch-event-source');

/** Returns what onmessage gets of a stream. */
async function messagesOf(stream) {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/event-stream');
    response.end(stream);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const messages = [];
  await fetchEventSource(`http://127.0.0.1:${server.address().port}/`, {
    openWhenHidden: true,
    onmessage: (message) => messages.push(message),
  }).catch(() => undefined);
  server.close();
  return JSON.stringify(messages);
}

(async () => {
  console.log('comment with an empty line:', await messagesOf(':\n\n'));
  console.log('id alone:', await messagesOf('id: 7\n\n'));
  console.log('comment before an event:', await messagesOf(':\nid: 8\ndata: x\n\n'));
})();
END
node messages.cjs >seen
cat >expected <<'END'
comment with an empty line: [{"data":"","event":"","id":""}]
id alone: [{"data":"","event":"","id":"7"}]
comment before an event: [{"data":"x","event":"","id":"8"}]
END
diff expected seen

echo 'As found on 28 November 2026, with @microsoft/fetch-event-source 2.0.1.'
