import { errorMessage } from '../ui/error-message.ts';
import { Store, useStore } from '../ui/store.ts';
import { api, bodyOf } from './api.ts';
import { explanationInWords } from './explanation.ts';
import { onRobotMessage, streamCount } from './live.ts';
import { getSession, onSession } from './session.ts';
import { knownRole, onRobotResponse, sendStop } from './stop-socket.ts';

/**
 * The state of the last emergency stop. `sending`: on its way. `confirmed`: the robot responded, or says that it is locked.
 * `unconfirmed`: it was sent, and the robot did not confirm it. `unanswered`: it is not known whether it was sent. `offline`: no
 * robot is connected. `failed`: it was not sent. `viewer`: the user has no right to. `unlocking` and `unlockFailed` are states of
 * unlocking.
 */
export interface StopState {
  readonly kind:
    | 'none'
    | 'sending'
    | 'confirmed'
    | 'unconfirmed'
    | 'unanswered'
    | 'offline'
    | 'failed'
    | 'viewer'
    | 'unlocking'
    | 'unlockFailed';
  /** The message of the server or the robot. */
  readonly explanation: string | null;
}

/** Time after which a stop counts as unanswered, in ms. */
const maxWait = 10_000;

/** How long an unlock waits for the request of the last stop, in ms. */
const maxStopDelay = 3000;

const stop = new Store<StopState>({ kind: 'none', explanation: null });
let attempt = 0;
let hasLocked = false;
/** The stream that was open when a stop could not be sent. */
let failedOn = 0;
/** The request of the last stop. */
let sent: Promise<void> = Promise.resolve();
/** The controller of the last request that stops or unlocks; undefined in browsers without any: the stop works there, too. */
let sending: AbortController | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

function setState(kind: StopState['kind'], explanation: string | null = null): void {
  if (kind === 'failed') failedOn = streamCount();
  if (kind !== 'sending') clearTimeout(timer);
  stop.set({ kind, explanation });
}

/** Returns the state of the last emergency stop. */
export const useStop = (): StopState => useStore(stop);

/** Dismisses the message about the last stop. */
export const dismissStop = (): void => setState('none');

const isWaiting = (): boolean => ['sending', 'unconfirmed', 'unanswered', 'failed'].includes(stop.get().kind);

/** Takes the last request back, and returns the signal of the next one. */
function nextSignal(): AbortSignal | undefined {
  sending?.abort();
  sending = globalThis.AbortController && new AbortController();
  return sending?.signal;
}

/** Stops the robot: over the open WebSocket and by a request, whichever is faster. Waits for no data, and uses nothing that is newer in browsers than both. */
export function stopRobot(): void {
  if (!getSession()) return;
  if (knownRole() === 'viewer') {
    setState('viewer');
    return;
  }
  const own = ++attempt;
  const label = `stop_${Date.now()}_${Math.random().toString(36).slice(2)}`;
  const isCurrent = (): boolean => own === attempt && ['sending', 'unanswered'].includes(stop.get().kind);
  hasLocked = false;
  setState('sending');
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
    if (isCurrent()) setState('unanswered');
  }, maxWait);
  sent = request(isOnSocket, isCurrent, nextSignal());
}

async function request(isOnSocket: boolean, isCurrent: () => boolean, signal: AbortSignal | undefined): Promise<void> {
  try {
    const { status, explanation } = await bodyOf(
      // It is sent even if the page is closed.
      api.POST('/api/robot/emergency_stop', { keepalive: true, ...(signal && { signal }) }),
    );
    if (status === 'ok' && isWaiting()) setState('confirmed');
    else if (isCurrent())
      setState(status === 'offline' ? 'offline' : 'unconfirmed', status === 'error' ? explanation : null);
  } catch (error) {
    if (isCurrent() && !isOnSocket) setState('failed', errorMessage(error));
  }
}

/** Unlocks the robot, unless it is stopped again in between. */
export async function unlockRobot(): Promise<void> {
  const own = ++attempt;
  const end = (kind: 'none' | 'unlockFailed', explanation: string | null = null): void => {
    if (own === attempt) setState(kind, explanation);
  };
  setState('unlocking');
  try {
    // A stop that was confirmed over the WebSocket must not arrive as a request after this one, and lock the robot again.
    await Promise.race([sent, new Promise((resolve) => setTimeout(resolve, maxStopDelay))]);
    if (own !== attempt) return;
    // Nor must this one arrive after a later stop.
    const signal = nextSignal();
    const { status, explanation } = await bodyOf(api.POST('/api/robot/unlock', signal ? { signal } : {}));
    if (own !== attempt) return;
    if (status !== 'ok') end('unlockFailed', await explanationInWords(explanation));
    // Its last status says that it is locked: the next one ends this.
    else if (hasLocked) timer = setTimeout(() => end('none'), maxWait);
    else end('none');
  } catch (error) {
    end('unlockFailed', errorMessage(error));
  }
}

onRobotMessage('status', ({ informational_settings: settings }) => {
  if (typeof settings !== 'object' || settings === null || !('locked' in settings)) return;
  const { kind } = stop.get();
  if (settings.locked === true) {
    hasLocked = true;
    if (isWaiting()) setState('confirmed');
  } else if (hasLocked && (kind === 'confirmed' || kind === 'unlocking')) {
    hasLocked = false;
    setState('none');
  } else if (kind === 'failed' && streamCount() > failedOn) {
    // The robot is reachable again, and can be stopped: the earlier failure is over.
    setState('none');
  }
});

onSession(() => setState('none'));
