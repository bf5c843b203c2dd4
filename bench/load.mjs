// Load on a server for some seconds, and its figures.
import autocannon from 'autocannon';
import { quantile } from './load-tools.mjs';
import { connections } from './server-process.mjs';

export const rounds = Number(process.env.ROUNDS ?? 3);
/** The duration of a round. */
export const seconds = Number(process.env.SECONDS ?? 2);

/** Sends requests over all connections, each beginning with another one. Returns the number of responses, the latency of each in ms, and the seconds that it took. Rejects when a request fails. */
function send(base, requests, duration) {
  const latencies = [];
  let started = 0;
  const setupClient = (client) => {
    const from = (started++ * 37) % requests.length;
    client.setRequests([...requests.slice(from), ...requests.slice(0, from)]);
  };
  return new Promise((resolve, reject) => {
    const began = performance.now();
    autocannon({ url: base, connections, duration, setupClient }, (error, result) => {
      if (error) return reject(error);
      const { non2xx, errors } = result;
      if (non2xx + errors > 0)
        return reject(new Error(`${base}${requests[0].path}: ${non2xx} failed, ${errors} errors`));
      resolve({ count: latencies.length, latencies, seconds: (performance.now() - began) / 1000 });
    }).on('response', (_client, _status, _bytes, latency) => latencies.push(latency));
  });
}

/** A server under load, in rounds that alternate with other servers' rounds. */
export class Target {
  #base;
  #requests;
  #cpuTimes;
  #rounds = [];

  /** `cpuTimes`: functions that return CPU times in s. */
  constructor(base, requests, cpuTimes) {
    this.#base = base;
    this.#requests = requests;
    this.#cpuTimes = cpuTimes;
  }

  /** Has V8 compile the code of the requests, and fills caches. */
  warmUp() {
    return send(this.#base, this.#requests, 1);
  }

  async round() {
    const before = this.#cpuTimes.map((read) => read());
    const sent = await send(this.#base, this.#requests, seconds);
    const cpu = this.#cpuTimes.map((read, index) => ((read() - before[index]) / sent.count) * 1e6);
    this.#rounds.push({ ...sent, cpu });
  }

  /** Responses per second and their latencies in ms, of all rounds; CPU times per response in µs, of the median round. */
  figures() {
    const sum = (read) => this.#rounds.reduce((total, round) => total + read(round), 0);
    const latencies = this.#rounds.flatMap((round) => round.latencies);
    const total = ({ cpu }) => cpu.reduce((all, each) => all + each, 0);
    const ordered = this.#rounds.toSorted((one, other) => total(one) - total(other));
    const median = ordered[Math.floor((ordered.length - 1) / 2)];
    return {
      perSecond: sum(({ count }) => count) / sum(({ seconds }) => seconds),
      p50: quantile(latencies, 0.5),
      p99: quantile(latencies, 0.99),
      cpu: median.cpu,
      totalCpu: total(median),
    };
  }
}
