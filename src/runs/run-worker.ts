import { setTimeout as sleep } from 'node:timers/promises';
import type { AccountsOffer } from '../accounts/offer.ts';
import { currentTimestamp } from '../core/clock.ts';
import { Failure, reasonOf } from '../core/errors.ts';
import type { Message } from '../core/message.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { cleanText } from '../engine/kinds.ts';
import { updateRecord } from '../engine/records.ts';
import { needOf, refusal } from '../engine/rights.ts';
import type { GardenOffer } from '../garden/offer.ts';
import type { JobPayload } from '../jobs/job-rows.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { JobDefinition, JobRun } from '../jobs/runner.ts';
import type { LiveOffer } from '../live/offer.ts';
import { sayOfRun } from './problem-messages.ts';
import type { RunPlaceRow, RunRow } from './run-records.ts';
import { activeStates, runPlaces, runs } from './run-records.ts';

/** How long the program of a place may take, in seconds. */
const maxPlaceTime = 15 * 60;
/** Wi-Fi in gardens comes and goes. */
const defaultMaxAbsence = 60_000;
const checkInterval = 1000;

const kind = 'run';

/** The right to command the robot. */
const need = needOf({ method: 'POST', tag: 'Control' });

export interface RunWorkerOptions {
  readonly queue: Pick<JobQueue, 'enqueueSerial'>;
  readonly accounts: Pick<AccountsOffer, 'rightsOf'>;
  readonly garden: Pick<GardenOffer, 'points'>;
  readonly live: Pick<LiveOffer, 'commands' | 'directory'>;
  /** How long a robot may be without a connection, in ms. */
  readonly maxAbsence?: number;
}

/** Has robots run the programs of runs, a place at a time: each run is one job. [ADR 123] */
export class RunWorker {
  readonly #options: RunWorkerOptions;
  readonly #stopping = new AbortController();

  constructor(options: RunWorkerOptions) {
    this.#options = options;
  }

  get job(): JobDefinition {
    return {
      kind,
      waitsFor: 'robots',
      perPerson: 3,
      handle: (server, payload, run) => this.#work(server, payload, run),
      onGiveUp: (server, { device_id, run_id }) =>
        server.device(Number(device_id)).transaction(async (scope) => {
          const run = await activeRun(scope, Number(run_id));
          if (run) await interrupt(scope, run, sayOfRun.serverStopped);
        }),
    };
  }

  /** Has a run begin, or go on, after the commit. */
  async enqueue({ deviceId, server }: DeviceScope, { id, user_id }: RunRow): Promise<void> {
    const payload = { device_id: deviceId, run_id: id };
    const options = { deviceId, turnOf: user_id, serialKey: `run ${id}` };
    await this.#options.queue.enqueueSerial(server, kind, payload, options);
  }

  /** Interrupts the runs of this process: a stopping server does not learn what robots respond. */
  stop(): void {
    this.#stopping.abort();
  }

  async #work(server: ServerScope, { device_id, run_id }: JobPayload, { hold }: JobRun): Promise<void> {
    const scope = server.device(Number(device_id));
    // If another process took over while this one was suspended, its state counts.
    const change = (next: (inner: DeviceScope, run: RunRow) => Promise<RunPlaceRow | null>) =>
      scope.transaction(async (inner) => {
        const run = (await hold(inner.server)) ? await activeRun(inner, Number(run_id)) : undefined;
        return run ? next(inner, run) : null;
      });
    // Whether the robot ran what was sent before the server ended is unknown: it is not sent again unasked.
    let place = await change((inner, run) =>
      run.is_sent ? interrupt(inner, run, sayOfRun.serverStopped) : this.#next(inner, run, run.done),
    );
    while (place) {
      const problem = await this.#visit(scope, place);
      place = await change((inner, run) =>
        problem === null ? this.#next(inner, run, run.done + 1) : interrupt(inner, run, problem),
      );
    }
  }

  /** Returns the next place of a run, and marks it as sent; null if the run is over. */
  async #next(scope: DeviceScope, run: RunRow, done: number): Promise<RunPlaceRow | null> {
    const { accounts, garden } = this.#options;
    for (let { skipped } = run; ; skipped++) {
      const place = await scope.first(runPlaces, { where: { run_id: run.id, number: done + skipped + 1 } });
      if (!place || run.state === 'stopping')
        return end(scope, run, { state: place ? 'stopped' : 'done', done, skipped });
      const isThere = await scope.count(garden.points, { where: { id: place.point_id, discarded_at: null } });
      if (isThere === 0) continue;
      const current = { done, skipped, point_id: place.point_id, place: place.name };
      const rights = await accounts.rightsOf(scope, run.user_id);
      if (!rights || refusal(rights, need) !== null) return interrupt(scope, run, sayOfRun.noRights, current);
      await updateRecord(scope, runs, run, { ...current, is_sent: true });
      return place;
    }
  }

  /** Has the robot run the program of a place. Returns the reason why the run cannot go on, or null. Not in a transaction. */
  async #visit(scope: DeviceScope, { program }: RunPlaceRow): Promise<Message | null> {
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, this.#stopping.signal]);
    let isLost = false;
    try {
      await this.#isThere(scope.deviceId, signal);
      if (signal.aborted) return sayOfRun.serverStopped;
      void this.#untilLost(scope.deviceId, signal).then(() => {
        isLost = !signal.aborted;
        over.abort();
      });

      const { status, explanation } = await this.#options.live.commands.send(scope, program, {
        wait: maxPlaceTime,
        signal,
      });
      if (status === 'timeout' && isLost) return sayOfRun.robotLost;
      return status === 'timeout' && this.#stopping.signal.aborted ? sayOfRun.serverStopped : explanation;
    } catch (error) {
      // Its program has become invalid, the broker is away, or too many commands wait.
      if (error instanceof Failure) return reasonOf(error);
      throw error;
    } finally {
      over.abort();
    }
  }

  /** Returns whether the robot is connected, or comes back in time. */
  async #isThere(deviceId: number, signal: AbortSignal): Promise<boolean> {
    const { live, maxAbsence = defaultMaxAbsence } = this.#options;
    for (let away = 0; away < maxAbsence && !signal.aborted; away += checkInterval) {
      if (live.directory.robots(deviceId).length > 0) return true;
      await pause(signal);
    }
    return false;
  }

  /** Resolves when the robot has been away for too long, or the signal is aborted. */
  async #untilLost(deviceId: number, signal: AbortSignal): Promise<void> {
    while (await this.#isThere(deviceId, signal)) await pause(signal);
  }
}

const pause = (signal: AbortSignal): Promise<void> =>
  sleep(checkInterval, undefined, { signal }).catch(() => undefined);

const activeRun = (scope: DeviceScope, id: number): Promise<RunRow | undefined> =>
  scope.first(runs, { where: { id, state: activeStates } });

/** Ends a run. */
export async function end(scope: DeviceScope, run: RunRow, changes: Partial<RunRow>): Promise<null> {
  const ended_at = currentTimestamp(scope.clock);
  await updateRecord(scope, runs, run, { point_id: null, place: null, is_sent: false, ended_at, ...changes });
  return null;
}

const interrupt = (scope: DeviceScope, run: RunRow, problem: Message, changes: Partial<RunRow> = {}): Promise<null> => {
  const { point_id, place } = run;
  // Robots may send any text: PostgreSQL does not store all.
  return end(scope, run, { point_id, place, ...changes, state: 'interrupted', problem: cleanText(String(problem)) });
};
