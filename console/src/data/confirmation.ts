import { Store } from '../ui/store.ts';
import { showProblem, showToast } from '../ui/toasts.tsx';
import { api } from './api.ts';
import { ApiError } from './api-error.ts';

/** The confirmation sent with a request that needs the password: nothing after a recent sign-in. */
interface Proof {
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
async function confirmed<T>(send: (proof: Proof) => Promise<T>): Promise<T> {
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

/** The {@link api} for requests that may need the password: it prompts for it if the server demands it. */
export const confirmedApi = new Proxy(api, {
  get:
    (methods, name: keyof typeof api) =>
    (path: string, options: { readonly body?: object } = {}) =>
      confirmed((proof) =>
        Reflect.apply(methods[name], methods, [path, { ...options, body: { ...options.body, ...proof } }]),
      ),
});

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

/** Returns a function that carries out a change, says that it is done, and reads the data of the page again. */
export const changesWith =
  (reload: () => Promise<unknown>) =>
  (change: () => Promise<unknown>, sentence?: string): Promise<boolean> =>
    attempt(async () => {
      await change();
      if (sentence !== undefined) showToast({ text: sentence });
      await reload();
    });
