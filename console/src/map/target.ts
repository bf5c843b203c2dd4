import { useSyncExternalStore } from 'react';

/** Where a command of this page sends the robot, in mm; null while it carries out none. */
export type Target = readonly [x: number, y: number] | null;

let target: Target = null;
const listeners = new Set<() => void>();

export function setTarget(next: Target): void {
  target = next;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Returns where the robot was sent. */
export const useTarget = (): Target => useSyncExternalStore(subscribe, () => target);
