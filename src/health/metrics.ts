import type { Server } from 'node:http';
import type { CounterName, Counters } from '../core/counters.ts';
import { counterDescriptions } from '../core/counters.ts';
import type { Logger } from '../core/logger.ts';
import { countPending } from '../db/announcement-progress.ts';
import type { ServerScope } from '../db/scope.ts';
import { countJobs } from '../jobs/job-counts.ts';

/** Metrics of this process in the text format of Prometheus. */
export interface Metrics {
  readonly type: string;
  text(): Promise<string>;
  /** Counts the responses of an HTTP server. */
  instrument(http: Server): void;
}

export interface MetricsOptions {
  readonly counters: Counters;
  /** Returns the state of the broker; null: there is none. */
  readonly broker: () => { readonly ok: boolean; readonly connections: number | null } | null;
  /** Creates a scope. */
  readonly server: () => ServerScope;
  readonly log: Logger;
}

/** Upper bounds in seconds: most responses take about one millisecond, a sign-in 25. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Methods that are used as labels; others would let clients create labels. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const isCounter = (name: string): name is CounterName => Object.hasOwn(counterDescriptions, name);

/** Starts collecting metrics. Loads the library, which takes time and memory, only if they are enabled. */
export async function createMetrics({ counters, broker, server, log }: MetricsOptions): Promise<Metrics> {
  const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = await import('prom-client');
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  // Gauges, though Prometheus reserves `_total` for counters; each is the sum of the one without it.
  for (const kind of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${kind}_total`);

  for (const name of Object.keys(counterDescriptions).filter(isCounter))
    new Counter({
      name: `potager_${name}_total`,
      help: counterDescriptions[name],
      labelNames: ['reason'],
      registers,
      collect() {
        this.reset();
        const values = counters.values(name);
        if (values.size === 0) this.inc(0);
        for (const [reason, value] of values) this.inc(reason === '' ? {} : { reason }, value);
      },
    });

  new Gauge({
    name: 'potager_broker_up',
    help: 'Whether the message broker is running (1) or not (0).',
    registers,
    collect() {
      const state = broker();
      if (state) this.set(state.ok ? 1 : 0);
      else this.remove();
    },
  });
  new Gauge({
    name: 'potager_broker_connections',
    help: 'Clients connected to the built-in message broker.',
    registers,
    collect() {
      const connections = broker()?.connections ?? null;
      if (connections === null) this.remove();
      else this.set(connections);
    },
  });

  /** Omits a metric whose query fails. */
  const fromDatabase = async (what: string, read: () => Promise<void>, omit: () => void): Promise<void> => {
    try {
      await read();
    } catch (error) {
      omit();
      log.warn({ reason: String(error) }, `failed to count ${what}`);
    }
  };
  new Gauge({
    name: 'potager_jobs',
    help: 'Background jobs: waiting (due), later (scheduled), running, dead (failed permanently).',
    labelNames: ['state'],
    registers,
    collect() {
      const read = async () => {
        for (const [state, count] of Object.entries(await countJobs(server()))) this.set({ state }, count);
      };
      return fromDatabase('jobs', read, () => this.reset());
    },
  });
  new Gauge({
    name: 'potager_announcements_waiting',
    help: 'Announcements that are not published yet.',
    registers,
    collect() {
      const read = async () => this.set(await countPending(server()));
      return fromDatabase('announcements', read, () => this.remove());
    },
  });

  const requests = new Counter({
    name: 'potager_http_requests_total',
    help: 'HTTP requests by method and class of status; aborted if the client disconnected before the response.',
    labelNames: ['method', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'potager_http_request_duration_seconds',
    help: 'From the headers of a request to the end of its response.',
    labelNames: ['method'],
    buckets,
    registers,
  });

  return {
    type: registry.contentType,
    text: () => registry.metrics(),
    instrument(http) {
      http.prependListener('request', (request, response) => {
        const startedAt = performance.now();
        response.once('close', () => {
          const method = methods.has(request.method ?? '') ? (request.method ?? '') : 'other';
          const status = response.headersSent ? `${Math.floor(response.statusCode / 100)}xx` : 'aborted';
          requests.inc({ method, status });
          durations.observe({ method }, (performance.now() - startedAt) / 1000);
        });
      });
    },
  };
}
