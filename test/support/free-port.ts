import { createServer } from 'node:net';

/** Below the ports that the system gives to outgoing connections, which could take the port of a server that restarts. Above 10080, to which `fetch` does not connect. */
const lowest = 11_000;
/** Each worker of vitest has ports of its own: two that looked at the same time could choose the same one. */
const portsPerWorker = 2600;
const workers = 8;
const first = lowest + (Number(process.env.VITEST_POOL_ID ?? 0) % workers) * portsPerWorker;
/** A worker that follows another one begins elsewhere. */
let next = first + Math.floor(Math.random() * portsPerWorker);

/** Returns a TCP port that was free a moment ago. */
export async function freePort(): Promise<number> {
  for (;;) {
    next = next < first + portsPerWorker - 1 ? next + 1 : first;
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
