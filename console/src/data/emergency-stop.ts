import { useSyncExternalStore } from 'react';
import { api, bodyOf } from './api.ts';
import { onRobotMessage, streamCount } from './live.ts';
import { getSession, onSession } from './session.ts';
import { knownRole, onRobotResponse, sendStop } from './stop-socket.ts';

/**
 * The state of the last emergency stop. `sent`: on its way. `confirmed`: the robot responded, or says that it is locked.
 * `unconfirmed`: no response in time. `offline`: no robot is connected. `failed`: neither the server nor the broker took it.
 * `viewer`: the user has no right to. `unlocking` and `unlockFailed` are states of unlocking.
 */
export interface StopState {
  readonly kind:
    | 'none'
    | 'sent'
    | 'confirmed'
    | 'unconfirmed'
    | 'offline'
    | 'failed'
    | 'viewer'
    | 'unlocking'
    | 'unlockFailed';
  /** The message of the server or the robot. */
  readonly explanation: string | null;
}

/** Time after which a stop counts as unconfirmed, in ms. */
const maxWait = 10_000;

/** How long an unlock waits for the request of the last stop, in ms. */
const maxStopDelay = 3000;

let state: StopState = { kind: 'none', explanation: null };
let attempt = 0;
let hasLocked = false;
/** The stream that was open when a stop could not be sent. */
let failedOn = 0;
/** The request of the last stop, and its controller. */
let sent: Promise<void> = Promise.resolve();
let sending = new AbortController();
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

function setState(kind: StopState['kind'], explanation: string | null = null): void {
  state = { kind, explanation };
  if (kind === 'failed') failedOn = streamCount();
  if (kind !== 'sent') clearTimeout(timer);
  for (const listener of listeners) listener();
}

/** Returns the state of the last emergency stop. */
export const useStop = (): StopState =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );

/** Dismisses the message about the last stop. */
export const dismissStop = (): void => setState('none');

const isWaiting = (): boolean => state.kind === 'sent' || state.kind === 'unconfirmed' || state.kind === 'failed';

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Stops the robot: over the open WebSocket and by a request, whichever is faster. Waits for no data. */
export function stopRobot(): void {
  if (!getSession()) return;
  if (knownRole() === 'viewer') {
    setState('viewer');
    return;
  }
  const own = ++attempt;
  const label = `stop_${Date.now()}_${Math.random().toString(36).slice(2)}`;
  const isCurrent = (): boolean => own === attempt && state.kind === 'sent';
  hasLocked = false;
  setState('sent');
  const isOnSocket = sendStop(label);
  const end = onRobotResponse((response) => {
    if (response.label !== label) return;
    end();
    if (own !== attempt) return;
    if (!isWaiting()) return;
    if (response.isOk) setState('confirmed');
    else if (isCurrent()) setState('unconfirmed', response.explanation);
  });
  clearTimeout(timer);
  timer = setTimeout(() => {
    if (isCurrent()) setState('unconfirmed');
  }, maxWait);
  sending.abort();
  sending = new AbortController();
  sent = request(isOnSocket, isCurrent, AbortSignal.any([sending.signal, AbortSignal.timeout(3 * maxWait)]));
}

async function request(isOnSocket: boolean, isCurrent: () => boolean, signal: AbortSignal): Promise<void> {
  try {
    const { status, explanation } = await bodyOf(
      // It is sent even if the page is closed meanwhile.
      api.POST('/api/robot/emergency_stop', { keepalive: true, signal }),
    );
    if (status === 'ok' && isWaiting()) setState('confirmed');
    else if (isCurrent()) setState(status === 'offline' ? 'offline' : 'unconfirmed', explanation);
  } catch (error) {
    if (isCurrent() && !isOnSocket) setState('failed', messageOf(error));
  }
}

/** Unlocks the robot. */
export async function unlockRobot(): Promise<void> {
  setState('unlocking');
  try {
    // A stop that was confirmed over the WebSocket must not arrive as a request after this one, and lock the robot again.
    await Promise.race([sent, new Promise((resolve) => setTimeout(resolve, maxStopDelay))]);
    sending.abort();
    const { status, explanation } = await bodyOf(api.POST('/api/robot/unlock'));
    if (status === 'ok') setState('none');
    else setState('unlockFailed', explanation);
  } catch (error) {
    setState('unlockFailed', messageOf(error));
  }
}

onRobotMessage('status', ({ informational_settings: settings }) => {
  if (typeof settings !== 'object' || settings === null || !('locked' in settings)) return;
  if (settings.locked === true) {
    hasLocked = true;
    if (isWaiting()) setState('confirmed');
  } else if (hasLocked && (state.kind === 'confirmed' || state.kind === 'unlocking')) {
    hasLocked = false;
    setState('none');
  } else if (state.kind === 'failed' && streamCount() > failedOn) {
    // The robot is reachable again, and can be stopped: the earlier failure is over.
    setState('none');
  }
});

onSession(() => setState('none'));
