#!/bin/sh
# eventsource 4.1.1 (npm, with eventsource-parser 3.1.1): a block of an event stream that has an id and no data is lost.
# Expected: the HTML standard ("dispatch the event") sets the last event ID of the source before it looks at the data, so
# that a reconnection sends the id as Last-Event-ID, as Chromium does. Servers tell clients in that way where a stream
# begins.
# Seen: the reconnection sends no Last-Event-ID. With data in the same block it does.
# Needs node and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund eventsource@4.1.1 eventsource-parser@3.1.1 >/dev/null
cat >reconnect.mjs <<'END'
import { createServer } from 'node:http';
import { EventSource } from 'eventsource';

/** Serves a block in a stream that ends, and returns the Last-Event-ID of the next request. */
const idAfter = (block) =>
  new Promise((resolve) => {
    let requests = 0;
    const server = createServer((request, response) => {
      if (++requests > 1) {
        source.close();
        server.close();
        response.destroy();
        return resolve(request.headers['last-event-id'] ?? 'none');
      }
      response.setHeader('content-type', 'text/event-stream');
      response.end(`retry: 10\n${block}\n\n`);
    }).listen(0, '127.0.0.1', () => {
      source = new EventSource(`http://127.0.0.1:${server.address().port}/`);
    });
    let source;
  });
console.log('id alone:', await idAfter('id: 7'));
console.log('id with data:', await idAfter('id: 7\ndata: x'));
END
node reconnect.mjs >seen
cat >expected <<'END'
id alone: none
id with data: 7
END
diff expected seen

echo 'As found on 28 November 2026, with eventsource 4.1.1.'
