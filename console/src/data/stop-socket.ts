import type { MqttClient } from 'mqtt';
import { queryClient } from './query-client.ts';
import { gardenId, getSession, onSession } from './session.ts';
import { singleQueries } from './singles.ts';

/** Pauses between attempts to connect, in ms: from the first to the longest. */
const [firstPause, longestPause] = [2000, 120_000];
/** How long after the start of the page the client is loaded, in ms, where browsers do not say when they are idle. */
const loadingDelay = 3000;

let client: MqttClient | null = null;
/** Counts starts and stops, so that one that was overtaken does nothing. */
let generation = 0;
const responseListeners = new Set<(response: RobotResponse) => void>();

/** What the robot responded to a request. */
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
 * lets them wait while six others to the server hang. Not in hidden tabs. Call it once.
 */
export function startStopSocket(): void {
  const update = (): void => {
    generation++;
    client?.end(true);
    client = null;
    if (getSession() && !document.hidden && knownRole() !== 'viewer') void connect(generation);
  };
  const whenIdle = window.requestIdleCallback ?? ((run: () => void) => setTimeout(run, loadingDelay));
  whenIdle(() => {
    onSession(update);
    document.addEventListener('visibilitychange', update);
    update();
  });
}

async function connect(own: number): Promise<void> {
  const session = getSession();
  const { default: mqtt } = await import('mqtt');
  if (own !== generation || !session) return;
  const { bot, mqtt_ws } = session.token.unencoded;
  const opened = mqtt.connect(mqtt_ws, {
    // One of its own for each tab, and none that the server takes for a robot's.
    clientId: `${bot}_console_${Math.random().toString(36).slice(2)}`,
    username: bot,
    password: session.token.encoded,
    protocolVersion: 4,
    reconnectPeriod: firstPause,
    // A stop is sent now or by other means, never later.
    queueQoSZero: false,
    // The others need a worker from a blob, which the policy of the page forbids.
    timerVariant: 'native',
  });
  client = opened;
  opened.on('connect', () => {
    opened.options.reconnectPeriod = firstPause;
    opened.subscribe(`bot/${bot}/from_device`);
  });
  opened.on('close', () => {
    opened.options.reconnectPeriod = Math.min(2 * (opened.options.reconnectPeriod ?? firstPause), longestPause);
  });
  // Requests say it where it matters.
  opened.on('error', () => undefined);
  opened.on('message', (_topic, payload) => {
    const response = responseOf(payload.toString());
    if (response) for (const listener of responseListeners) listener(response);
  });
}

/** Parses a response of the robot; null if it is something else. */
export function responseOf(payload: string): RobotResponse | null {
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

/** Calls `listener` for the responses of the robot to any request; returns a function that ends this. */
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
