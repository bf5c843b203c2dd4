import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerProcess } from '../support/servers.ts';
import type { Api } from './api.ts';
import type { Random } from './random.ts';

/** A fault of one part. `cause` resolves when the part works again. */
export interface Fault {
  readonly name: string;
  /** Two faults of one part are not caused at the same time. */
  readonly part: string;
  cause(random: Random): Promise<void>;
}

/** Servers and the services that they depend on, each of which can fail. */
export interface Installation {
  readonly name: string;
  readonly servers: readonly ServerProcess[];
  readonly api: Api;
  readonly faults: readonly Fault[];
  /** Addresses of the message broker: `mqtt://…`, `ws://…`. */
  readonly brokerUrls: readonly string[];
  /** How often the broker was started, if logs that robots send again after a start are stored once. Others may be stored twice: QoS 1 is "at least once". */
  readonly brokerStarts?: () => number;
  /** Whether exports are mailed. */
  readonly mailsExports: boolean;
  /** Returns the texts of the mails to an address. */
  mailsTo(email: string): Promise<readonly string[]>;
  /** Runs a statement in the database; returns the rows. */
  query(sql: string): Promise<readonly Record<string, unknown>[]>;
  remove(): Promise<void>;
}

/** Settings of all servers. */
export const commonSettings = {
  HOST: '127.0.0.1',
  RATE_LIMITS: 'off',
  EMAIL_VERIFICATION: 'required',
  QUOTA_EXPORTS_PER_HOUR: '1000000',
  QUOTA_TOKENS: '1000000',
} as const;

/** How long a part is down, in ms. */
export const outage = (random: Random): number => random.integer(100, 5000);

/** Starts a server as a supervisor does: restarts it when it exits because another part is down. Throws after two minutes. */
export async function startSupervised(server: ServerProcess): Promise<void> {
  for (const end = performance.now() + 120_000; ; ) {
    try {
      return await server.start();
    } catch (error) {
      await server.kill();
      if (performance.now() > end) throw error;
      await sleep(500);
    }
  }
}

/** The faults of a server's process. `title` is unique. */
export function serverFaults(server: ServerProcess, title: string): Fault[] {
  const fault = (name: string, cause: Fault['cause']): Fault => ({ name: `${title}: ${name}`, part: title, cause });
  return [
    fault('killed', async (random) => {
      await server.kill();
      if (random.chance(0.5)) await sleep(outage(random));
      await startSupervised(server);
    }),
    fault('killed twice', async (random) => {
      await server.kill();
      const starting = startSupervised(server);
      await sleep(random.integer(50, 2000));
      // It may be starting, migrating, delivering the rest of its last run, or running.
      await server.kill();
      await starting;
      if (server.pid === undefined) await startSupervised(server);
    }),
    fault('restarted', async () => {
      const code = await server.stop();
      if (code !== 0) throw new Error(`${title} exited with ${code} after SIGTERM:\n${server.logs().slice(-2000)}`);
      await startSupervised(server);
    }),
    fault('frozen', async (random) => {
      server.signal('SIGSTOP');
      await sleep(outage(random));
      server.signal('SIGCONT');
    }),
  ];
}
