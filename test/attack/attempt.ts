import type { AttackContext } from './attack-context.ts';

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

/** The number of hostile requests, connections or packets of an attempt. */
export interface Tries {
  /** In `npm test`; 0: the attempt belongs to the full run only. */
  readonly short: number;
  /** In `npm run attack`. */
  readonly full: number;
}

/** An attempt to break a property of SECURITY.md. */
export interface Attempt {
  /** The attempt in words. */
  readonly name: string;
  /** The title of the paragraph of SECURITY.md that excludes it. */
  readonly property: string;
  /** The server's reaction. */
  readonly defense: string;
  readonly tries: Tries;
  /** Makes `context.tries` tries. Throws if the attempt succeeds. */
  run(context: AttackContext): Promise<void>;
}

/** The tries of an attempt whose number is the same in both runs. */
export const always = (tries: number): Tries => ({ short: tries, full: tries });
