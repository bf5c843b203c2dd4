import { showToast } from '../ui/toasts.tsx';
import { ApiError } from './api-error.ts';

/** What a request that needs the password again is sent with: nothing after a recent sign-in. */
export interface Proof {
  readonly password?: string;
}

/** A question for the password, until it was answered. */
export interface PasswordQuestion {
  /** What was wrong with the last answer, in the server's words. */
  readonly problem: string | undefined;
  /** Null: the user gave up. */
  answer(password: string | null): void;
}

let question: PasswordQuestion | null = null;
const listeners = new Set<() => void>();

function setQuestion(next: PasswordQuestion | null): void {
  question = next;
  for (const listener of listeners) listener();
}

/** Returns the open question; null: there is none. */
export const openQuestion = (): PasswordQuestion | null => question;

/** Calls `listener` when a question is asked or was answered; returns a function that ends this. */
export function onQuestion(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const askPassword = (problem?: string): Promise<string | null> =>
  new Promise((resolve) => {
    // One question at a time: a request that is overtaken is given up.
    question?.answer(null);
    setQuestion({
      problem,
      answer(password) {
        setQuestion(null);
        resolve(password);
      },
    });
  });

/** Whether the server refused because the sign-in is too long ago. */
const needsPassword = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 403 && error.original.includes('`password`');

/**
 * Sends a request that the server may want the password for, asks for it when the server says so, and sends it again. Throws an
 * ApiError; one without words if the user gives up.
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

/** Carries out what a button does, and shows the words of a failure. Returns whether it succeeded. */
export async function attempt(action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
    return true;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if (text !== '') showToast({ text, tone: 'problem' });
    return false;
  }
}
