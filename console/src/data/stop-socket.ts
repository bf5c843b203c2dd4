import type { MqttClient } from 'mqtt';
import { whenPageShown } from '../ui/page-shown.ts';
import { queryClient } from './query-client.ts';
import { serverQuery } from './server.ts';
import { gardenId, getSession, onSession } from './session.ts';
import { singleQueries } from './singles.ts';

/** Pauses between attempts to connect, in ms: from the first to the longest. */
const [firstPause, maxPause] = [2000, 120_000];
/** Timeout for asking the server whether its broker has a WebSocket, in ms; then connecting is tried. */
const maxServerWait = 3000;

let client: MqttClient | null = null;
/** Counts starts and stops, so that an outdated one does nothing. */
let generation = 0;
const responseListeners = new Set<(response: RobotResponse) => void>();

/** The robot's response to a request. */
export interface RobotResponse {
  readonly label: string;
  readonly isOk: boolean;
  readonly explanation: string | null;
}

/** Returns the role of the user in this garden; undefined until it was read. Reads nothing itself. */
export const knownRole = (): 'viewer' | 'gardener' | 'owner' | undefined =>
  getSession()
    ? queryClient.getQueryData(singleQueries.gardens.queryKey)?.find(({ id }) => id === gardenId())?.role
    : undefined;

/**
 * Keeps a connection to the message broker open, over WebSocket, so that an emergency stop does not depend on requests: a browser
 * lets them wait while six others to the server hang. It begins when the first page is shown. Not in hidden tabs, and not where the
 * broker has no WebSocket. Call it once.
 */
export function startStopSocket(): void {
  const update = (): void => {
    generation++;
    client?.end(true);
    client = null;
    if (getSession() && !document.hidden && knownRole() !== 'viewer') void connect(generation);
  };
  void whenPageShown.then(() => {
    onSession(update);
    document.addEventListener('visibilitychange', update);
    update();
  });
}

/** Whether the server's broker has a WebSocket: browsers report each attempt to open one that is not there as an error. */
const hasSocket = (): Promise<boolean> =>
  Promise.race([
    queryClient.fetchQuery(serverQuery).then(
      ({ mqtt_over_websocket }) => mqtt_over_websocket,
      () => true,
    ),
    new Promise<boolean>((resolve) => setTimeout(resolve, maxServerWait, true)),
  ]);

/** Loads the client, again and again while the server is away; null if it was stopped in between. */
async function loadClient(own: number) {
  for (let pause = firstPause; own === generation; pause = Math.min(2 * pause, maxPause))
    try {
      return (await import('mqtt')).default;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  return null;
}

async function connect(own: number): Promise<void> {
  const session = getSession();
  const mqtt = (await hasSocket()) ? await loadClient(own) : null;
  if (own !== generation || !session || !mqtt) return;
  const { bot, mqtt_ws } = session.token.unencoded;
  const opened = mqtt.connect(mqtt_ws, {
    // Unique for each tab, and different from the ids of robots.
    clientId: `${bot}_console_${Math.random().toString(36).slice(2)}`,
    username: bot,
    password: session.token.encoded,
    protocolVersion: 4,
    reconnectPeriod: firstPause,
    // A stop is never queued: it is sent now, or by a request.
    queueQoSZero: false,
    // The library creates a buffer for each of 65,536 numbers before the first packet otherwise.
    writeCache: false,
    // The others need a worker from a blob, which the policy of the page forbids.
    timerVariant: 'native',
  });
  client = opened;
  opened.on('connect', () => {
    opened.options.reconnectPeriod = firstPause;
    opened.subscribe(`bot/${bot}/from_device`);
  });
  opened.on('close', () => {
    opened.options.reconnectPeriod = Math.min(2 * (opened.options.reconnectPeriod ?? firstPause), maxPause);
  });
  // Requests report it where it matters.
  opened.on('error', () => undefined);
  opened.on('message', (_topic, payload) => {
    const response = responseOf(payload.toString());
    if (response) for (const listener of responseListeners) listener(response);
  });
}

/** Parses a response of the robot; null if it is something else. */
function responseOf(payload: string): RobotResponse | null {
  try {
    const { kind, args, body } = JSON.parse(payload) as {
      kind?: unknown;
      args?: { label?: unknown };
      body?: readonly { args?: { message?: unknown } }[];
    };
    if ((kind !== 'rpc_ok' && kind !== 'rpc_error') || typeof args?.label !== 'string') return null;
    const explanation = Array.isArray(body) ? body[0]?.args?.message : null;
    return {
      label: args.label,
      isOk: kind === 'rpc_ok',
      explanation: typeof explanation === 'string' ? explanation : null,
    };
  } catch {
    return null;
  }
}

/** Calls `listener` for the responses of the robot to any request; returns a function that unsubscribes. */
export function onRobotResponse(listener: (response: RobotResponse) => void): () => void {
  responseListeners.add(listener);
  return () => responseListeners.delete(listener);
}

/** Sends the robot an emergency stop if the connection is open; returns whether it was. */
export function sendStop(label: string): boolean {
  const session = getSession();
  if (!client?.connected || !session) return false;
  const args = { label, priority: 9000 };
  const request = { kind: 'rpc_request', args, body: [{ kind: 'emergency_lock', args: {} }] };
  client.publish(`bot/${session.token.unencoded.bot}/from_clients`, JSON.stringify(request));
  return true;
}
