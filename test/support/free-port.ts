import { createServer } from 'node:net';

/** Below the ports that the system gives to outgoing connections: one of those could take the port of a server that restarts. Above 10080, to which `fetch` does not connect. */
const first = 11_000;
const last = 32_000;
/** Processes begin at different ports, so that two of them rarely choose the same one. */
let next = first + Math.floor(Math.random() * (last - first));

/** Returns a TCP port that was free a moment ago. */
export async function freePort(): Promise<number> {
  for (;;) {
    next = next < last ? next + 1 : first;
    if (await isFree(next)) return next;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '0.0.0.0', () => server.close(() => resolve(true)));
  });
}
