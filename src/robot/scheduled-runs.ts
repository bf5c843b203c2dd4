import type { Clock } from '../core/clock.ts';
import { isObject } from '../core/json.ts';
import { sayOfRobot } from './log-messages.ts';
import { createNode, nodeOf, type RobotNode, readNode, StepError, textOf, toPrintable } from './nodes.ts';
import { sentenceOf } from './request-handler.ts';
import { type RobotApi, RobotError } from './robot-api.ts';
import type { StepContext } from './step-context.ts';
import { runSteps } from './steps.ts';

/** How late a run may be found, in ms. */
const maxDelay = 60_000;
/** How long a run may wait for other work, in ms: as on a robot, which would miss half of a full calendar otherwise. */
const maxWait = 15 * 60_000;
/** How far ahead runs are fetched, in ms. */
const span = 10 * 60_000;
/** Pause after a failed request, in ms. */
const retryInterval = 10_000;
/** Records that runs follow from. */
const causes: readonly string[] = ['FarmEvent', 'Regimen', 'Device'];

/** One run of a sequence that the calendar causes. */
interface DueRun {
  /** In ms since the epoch. */
  readonly at: number;
  /** The local time: `08:00`. */
  readonly clock: string;
  readonly sequenceId: number;
  readonly name: string;
  readonly farmEventId: number;
  /** Null: the event runs the sequence itself. */
  readonly regimenId: number | null;
}

/** A step that runs a sequence, and the variables that its arguments refer to. */
interface PreparedRun {
  readonly step: RobotNode;
  readonly variables: ReadonlyMap<string, RobotNode>;
}

export interface ScheduledRunsOptions {
  readonly api: Pick<RobotApi, 'get'>;
  readonly clock: Clock;
  /** Runs work when the machine is free, and reports its errors. */
  readonly enqueue: (work: (context: StepContext) => Promise<void>) => void;
  /** Prints a line for the operator of the robot. */
  readonly print: (line: string) => void;
}

const keyOf = ({ at, sequenceId, farmEventId, regimenId }: DueRun): string =>
  [farmEventId, regimenId, sequenceId, at].join(' ');

function readRun(value: unknown): DueRun[] {
  if (!isObject(value)) return [];
  const { at, local, sequence_id, sequence_name, farm_event_id, regimen_id } = value;
  if (typeof at !== 'string' || typeof sequence_id !== 'number' || typeof farm_event_id !== 'number') return [];
  return [
    {
      at: Date.parse(at),
      clock: (typeof local === 'string' ? local : at).slice(11, 16),
      sequenceId: sequence_id,
      name: typeof sequence_name === 'string' ? sequence_name : 'a sequence',
      farmEventId: farm_event_id,
      regimenId: typeof regimen_id === 'number' ? regimen_id : null,
    },
  ];
}

/**
 * Begins the runs of the calendar, each once. The server lists the runs. One that is due waits for at most
 * a quarter of an hour; earlier runs than the robot's start are left out, since it may have begun them then.
 */
export class ScheduledRuns {
  /** How often to call {@link check}, in ms. */
  static readonly interval = 1_000;
  readonly #options: ScheduledRunsOptions;
  readonly #startedAt: number;
  readonly #begun = new Map<string, number>();
  #known: readonly DueRun[] = [];
  #fetchAt: number;
  #isFetching = false;

  constructor(options: ScheduledRunsOptions) {
    this.#options = options;
    this.#startedAt = options.clock.now();
    this.#fetchAt = this.#startedAt;
  }

  /** Fetches the runs again at the next call of {@link check}, if they follow from this kind of records; of all kinds by default. */
  changed(resource: string = 'FarmEvent'): void {
    if (causes.includes(resource)) this.#fetchAt = Number.NEGATIVE_INFINITY;
  }

  /** Begins due runs. Never rejects. */
  async check(): Promise<void> {
    const { clock, enqueue } = this.#options;
    // A clock that was set back must not stop the requests.
    if (clock.now() >= this.#fetchAt || clock.now() < this.#fetchAt - span) await this.#fetch();
    for (const [key, at] of this.#begun) if (clock.now() - at > 2 * maxDelay) this.#begun.delete(key);
    for (const run of this.#known) {
      const isDue = run.at >= this.#startedAt && run.at <= clock.now() && clock.now() - run.at <= maxDelay;
      if (!isDue || this.#begun.has(keyOf(run))) continue;
      this.#begun.set(keyOf(run), run.at);
      enqueue((context) => this.#run(run, context));
    }
  }

  /** Throws {@link StepError}. */
  async #run(run: DueRun, context: StepContext): Promise<void> {
    const { log } = context.actions;
    const name = toPrintable(run.name, 100);
    if (this.#options.clock.now() - run.at > maxWait) return log('warn', sayOfRobot.missed(name, run.clock));
    log('info', sayOfRobot.runs(name, run.clock));
    try {
      const { step, variables } = await prepareRun(this.#options.api, run);
      await runSteps([step], { ...context, variables });
    } catch (error) {
      throw new StepError(String(sayOfRobot.failed(name, run.clock, sentenceOf(error))));
    }
  }

  async #fetch(): Promise<void> {
    if (this.#isFetching) return;
    const { api, clock, print } = this.#options;
    const now = clock.now();
    this.#isFetching = true;
    // Changes in between are fetched next time.
    this.#fetchAt = now + span / 2;
    try {
      const [from, to] = [now - maxDelay, now + span].map((ms) => new Date(ms).toISOString());
      const rows = await api.get(`/api/farm_events/occurrences?from=${from}&to=${to}`);
      this.#known = Array.isArray(rows) ? rows.flatMap(readRun) : [];
    } catch (error) {
      // Servers without this request schedule nothing for virtual robots.
      if (error instanceof RobotError && error.status === 404) return;
      this.#fetchAt = Math.min(this.#fetchAt, now + retryInterval);
      print(`Could not fetch the schedule: ${sentenceOf(error)}`);
    } finally {
      this.#isFetching = false;
    }
  }
}

async function bodyAt(api: Pick<RobotApi, 'get'>, path: string): Promise<readonly RobotNode[]> {
  const record = await api.get(path);
  const body = isObject(record) && Array.isArray(record.body) ? record.body : [];
  return body.map((node) => readNode(node));
}

const labelled = (nodes: readonly RobotNode[], kind: string, arg: string): [string, RobotNode][] =>
  nodes.filter((node) => node.kind === kind).map((node) => [textOf(node, 'label'), nodeOf(node, arg)]);

/** Returns the step of a run, with the values that its event and regimen give. Throws `RobotError`, `StepError`. */
async function prepareRun(api: Pick<RobotApi, 'get'>, run: DueRun): Promise<PreparedRun> {
  const event = await bodyAt(api, `/api/farm_events/${run.farmEventId}`);
  const regimen = run.regimenId === null ? [] : await bodyAt(api, `/api/regimens/${run.regimenId}`);
  // The event sets the regimen's parameters, to which the regimen's values may refer.
  const variables = new Map([
    ...labelled(regimen, 'parameter_declaration', 'default_value'),
    ...labelled(regimen, 'variable_declaration', 'data_value'),
    ...labelled(event, 'parameter_application', 'data_value'),
  ]);
  const values = new Map([...variables, ...labelled(regimen, 'parameter_application', 'data_value')]);
  const body = [...values].map(([label, data_value]) => createNode('parameter_application', { label, data_value }));
  return { step: createNode('execute', { sequence_id: run.sequenceId }, body), variables };
}
