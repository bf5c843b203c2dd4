import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import type { ProxyServer } from './proxy-server.ts';

/** One kind of request. */
export interface LoadCase {
  readonly name: string;
  readonly method: 'GET' | 'PATCH';
  readonly path: string;
  /** Returns the body of the request with this number. */
  readonly body?: (count: number) => string;
}

/** The results of a load. */
export interface LoadResult {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p99: number;
  readonly answered: number;
}

/** Sends requests of one kind through a proxy over keep-alive connections, each from an address of its own. Throws if one fails. */
export async function drive(
  proxy: ProxyServer,
  token: string,
  { method, path, body }: LoadCase,
  { seconds, connections = 12 }: { readonly seconds: number; readonly connections?: number },
): Promise<LoadResult> {
  const delays: number[] = [];
  const end = performance.now() + seconds * 1000;
  const client = async (number: number): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1, localAddress: `127.0.2.${number}` });
    const target = { host: '127.0.0.1', port: proxy.ports.https, path, method, agent, ...proxy.tls };
    const headers = { host: 'localhost', authorization: token, 'content-type': 'application/json' };
    for (let count = 0; performance.now() < end; count++) {
      const began = performance.now();
      const sent = request({ ...target, headers });
      sent.end(body?.(count));
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      for await (const _part of response);
      if (response.statusCode !== 200) throw new Error(`${method} ${path}: ${response.statusCode}`);
      delays.push(performance.now() - began);
    }
    agent.destroy();
  };
  await Promise.all(Array.from({ length: connections }, (_, index) => client(index + 1)));
  delays.sort((a, b) => a - b);
  const p99 = delays[Math.floor(delays.length * 0.99)] ?? Number.NaN;
  return { perSecond: delays.length / seconds, p99, answered: delays.length };
}

/** Returns the CPU time that a process and its children have used, ended ones included, in µs. */
export function cpuTime(pid: number): number {
  let time = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
      // Hundredths of a second in user and system mode, then the ones of ended children; the second field is the parent.
      const own = fields.slice(11, Number(name) === pid ? 15 : 13);
      if (Number(name) === pid || Number(fields[1]) === pid)
        time += own.reduce((sum, ticks) => sum + Number(ticks), 0) * 10_000;
    } catch {
      // It ended in the meantime.
    }
  }
  return time;
}
