import { createParser } from 'eventsource-parser';
import { connectionReturns } from '../ui/connection-returns.ts';
import { whenPageShown } from '../ui/page-shown.ts';
import { Store, useStore } from '../ui/store.ts';
import { type CollectionName, patchList, type RecordOf, withRecord } from './collections.ts';
import { applyChange } from './creations.ts';
import { firstStream, openStream } from './first-requests.ts';
import { afterEndOf } from './garden-reopening.ts';
import { collectionNames } from './generated/resources.ts';
import { queryClient } from './query-client.ts';
import { currentReads } from './reads.ts';
import { getSession, onSession } from './session.ts';
import { rereadSingle } from './singles.ts';

/** `live`: changes arrive. `connecting`: the shown data may be old. `offline`: several attempts failed. */
export type LiveState = 'live' | 'connecting' | 'offline';

/** A change of the feed. */
interface Change {
  readonly action: 'created' | 'updated' | 'deleted';
  readonly resource: string;
  readonly id: number;
  readonly record: { readonly id: number } | null;
  /** The user of the request. */
  readonly label: string | null;
}

/** Messages of the robot. */
export type RobotTopic = 'status' | 'logs' | 'telemetry';
type RobotListener = (message: Readonly<Record<string, unknown>>) => void;

/** Maximum silence of a stream before it counts as lost, in ms: the server comments every 15 s. */
const maxSilence = 40_000;
/** How long a hidden tab keeps its stream, in ms: a browser opens few connections to one host. */
const hiddenTime = 20_000;
const pauses = [500, 1000, 2000, 4000, 8000, 15_000] as const;
const offlineAfter = 2;

const robotListeners: Record<RobotTopic, Set<RobotListener>> = {
  status: new Set(),
  logs: new Set(),
  telemetry: new Set(),
};
const changeListeners = new Set<(change: Change) => void>();
const state = new Store<LiveState>('connecting');
let lastId: string | null = null;
let running: AbortController | null = null;
let streams = 0;

/** Number of opened streams: messages of a later one were sent after an interruption. */
export const streamCount = (): number => streams;

/** Returns whether the shown data are current. */
export const useLiveState = (): LiveState => useStore(state);

/** Calls `listener` for each message of the robot; returns a function that unsubscribes. */
export function onRobotMessage(topic: RobotTopic, listener: RobotListener): () => void {
  robotListeners[topic].add(listener);
  return () => robotListeners[topic].delete(listener);
}

/** Calls `listener` for each change of the garden's records, after the lists have it; returns a function that unsubscribes. */
export function onChange(listener: (change: Change) => void): () => void {
  changeListeners.add(listener);
  return () => changeListeners.delete(listener);
}

/** Streams changes into the cache while there is a session and the tab is visible. Call it once. */
export function startLive(): void {
  let hiding: ReturnType<typeof setTimeout> | undefined;
  const update = (): void => {
    clearTimeout(hiding);
    if (!getSession()) stop();
    else if (document.hidden) hiding = setTimeout(stop, hiddenTime);
    else start();
  };
  onSession(() => {
    stop();
    lastId = null;
    update();
  });
  document.addEventListener('visibilitychange', update);
  addEventListener('online', () => {
    stop();
    update();
  });
  update();
}

function start(): void {
  if (running) return;
  running = new AbortController();
  void run(running.signal);
}

function stop(): void {
  running?.abort();
  running = null;
  state.set('connecting');
}

/** Connects, and reconnects after each loss. */
async function run(signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      await stream(signal, () => {
        failures = 0;
      });
    } catch {
      // Without a connection, or after a silence: the next attempt continues after the last change.
    }
    if (signal.aborted || !getSession()) return;
    currentReads().begin(null);
    state.set(failures >= offlineAfter ? 'offline' : 'connecting');
    await new Promise((resolve) => setTimeout(resolve, pauses[Math.min(failures, pauses.length - 1)]));
  }
}

/** Reads one stream until it ends. */
async function stream(signal: AbortSignal, onOpen: () => void): Promise<void> {
  // `AbortSignal.any` would join both: many browsers do not have it.
  const connection = new AbortController();
  const end = (): void => connection.abort();
  signal.addEventListener('abort', end);
  let timer = setTimeout(end, maxSilence);
  try {
    const session = getSession();
    const token = session?.token.encoded ?? '';
    const response = await (firstStream(token, connection.signal) ?? openStream(token, connection.signal, lastId));
    // As after a change of the role: without a token no attempt would succeed.
    if (response.status === 401 && session) await afterEndOf(session);
    if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);
    // Lists that were read before the stream may lack the changes in between. The first render does not wait for that.
    const isComplete = currentReads().begin(response);
    if (lastId === null && !isComplete) void whenPageShown.then(() => queryClient.invalidateQueries());
    else void queryClient.invalidateQueries({ queryKey: ['robot'] });
    onOpen();
    streams++;
    state.set('live');
    connectionReturns.set(streams);
    const parser = createParser({
      onEvent: ({ id, event, data }) => {
        if (id !== undefined) lastId = id;
        if (event !== undefined && event !== 'start') receive(event, data);
      },
    });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(end, maxSilence);
      parser.feed(value);
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

const isRobotTopic = (name: string): name is RobotTopic => Object.hasOwn(robotListeners, name);
const isAnnounced = (name: string): name is keyof typeof collectionNames => Object.hasOwn(collectionNames, name);

function receive(event: string, data: string): void {
  if (event === 'reset') return void queryClient.invalidateQueries();
  const message = JSON.parse(data);
  if (isRobotTopic(event)) {
    // Robots may publish any JSON.
    if (typeof message !== 'object' || message === null) return;
    for (const listener of robotListeners[event]) listener(message);
    return;
  }
  const change: Change = message;
  if (isAnnounced(event)) {
    const name = collectionNames[event] as CollectionName;
    const { id, record } = change;
    applyChange(name, change, () =>
      patchList(name, (records) =>
        record ? withRecord(records, record as RecordOf<typeof name>) : records.filter((other) => other.id !== id),
      ),
    );
  }
  // Single records: the device, the configs, the account.
  rereadSingle(event);
  for (const listener of changeListeners) listener(change);
}
