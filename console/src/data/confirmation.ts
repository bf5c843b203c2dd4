import { Store } from '../ui/store.ts';
import { showProblem } from '../ui/toasts.tsx';
import { ApiError } from './api-error.ts';

/** The confirmation sent with a request that needs the password: nothing after a recent sign-in. */
export interface Proof {
  readonly password?: string;
}

/** A pending prompt for the password. */
export interface PasswordQuestion {
  /** The server's message about the last password. */
  readonly problem: string | undefined;
  /** Null: the user canceled. */
  answer(password: string | null): void;
}

/** The pending prompt; null: there is none. */
export const openQuestion = new Store<PasswordQuestion | null>(null);

const askPassword = (problem?: string): Promise<string | null> =>
  new Promise((resolve) => {
    // One prompt at a time: a later request cancels an earlier one.
    openQuestion.get()?.answer(null);
    openQuestion.set({
      problem,
      answer(password) {
        openQuestion.set(null);
        resolve(password);
      },
    });
  });

/** Whether the server refused because the sign-in is too long ago. */
const needsPassword = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 403 && error.fields.password !== undefined;

/**
 * Sends a request that may need the password, prompts for it if the server demands it, and sends it again. Throws an
 * ApiError; one without a message if the user cancels.
 */
export async function confirmed<T>(send: (proof: Proof) => Promise<T>): Promise<T> {
  let proof: Proof = {};
  for (;;) {
    try {
      return await send(proof);
    } catch (error) {
      const wrong = proof.password !== undefined && error instanceof ApiError ? error.fields.password : undefined;
      if (wrong === undefined && !needsPassword(error)) throw error;
      const password = await askPassword(wrong);
      if (password === null) throw new ApiError(403, {});
      proof = { password };
    }
  }
}

/** Runs the action of a button, and shows the message of a failure. Returns whether it succeeded. */
export async function attempt(action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
    return true;
  } catch (error) {
    showProblem(error);
    return false;
  }
}
