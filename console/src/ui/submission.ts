import { useMemo, useRef, useState } from 'react';
import { connectionReturns } from './connection-returns.ts';
import { errorMessage, WordedError } from './error-message.ts';
import { type FailedValues, remainingProblems } from './remaining-problems.ts';
import { useStore } from './store.ts';

/** The state of a form that is sent. */
export interface Submission {
  readonly isPending: boolean;
  /** The server's messages by field name; empty after a success, and without those that no longer hold: see {@link useSubmission}. */
  readonly problems: Readonly<Record<string, string>>;
  /** How often it failed: the first field with a problem gets the focus after each time. */
  readonly failures: number;
  /** The problems of fields other than the named ones, in one text; null if there are none. */
  rest(...shown: readonly string[]): string | null;
  /** Runs `send`, then `done`, when it no longer is pending; returns whether it succeeded. An error thrown by `send` becomes the problems. */
  run(send: () => Promise<unknown>, done?: () => unknown): Promise<boolean>;
}

interface FailureWithFields extends Error {
  readonly fields: Readonly<Record<string, string>>;
}

/** Problems that a form finds in its own fields, by name. */
export class FieldProblems extends WordedError implements FailureWithFields {
  readonly fields: Readonly<Record<string, string>>;

  constructor(fields: Readonly<Record<string, string>>) {
    super(Object.values(fields).join(' '));
    this.fields = fields;
  }
}

const hasFields = (error: unknown): error is FailureWithFields => error instanceof Error && 'fields' in error;

type Problems = Submission['problems'];

/** A failed attempt, and the state of the form and of the connection then. */
interface FailedAttempt extends FailedValues {
  readonly number: number;
  /** Null: the server responded. */
  readonly connection: number | null;
}

const noProblems: Problems = {};

/** Whether an error says that the server could not be reached. */
const isOutage = (error: unknown): boolean => error instanceof Error && 'status' in error && error.status === 0;

const noValues = {};

/**
 * Sends a form, one request at a time, and keeps the messages about it while they may hold: the one of a field until its value in
 * `values` changes, the others until any value changes, that of a lost connection until there is one again.
 */
export function useSubmission(values: object = noValues): Submission {
  const [isPending, setPending] = useState(false);
  // A second tap may come before the pending state is shown.
  const isRunning = useRef(false);
  const [failed, setFailed] = useState<FailedAttempt | null>(null);
  const failures = useRef(0);
  // Input while it is sent is no reason to hide its failure.
  const latest = useRef(values);
  latest.current = values;
  const connection = useStore(connectionReturns);
  const problems = useMemo(() => {
    if (failed === null || (failed.connection !== null && failed.connection !== connection)) return noProblems;
    return remainingProblems(failed, values);
  }, [failed, values, connection]);
  return {
    isPending,
    problems,
    failures: failed?.number ?? 0,
    rest: (...shown) => {
      const others = Object.entries(problems).flatMap(([field, text]) => (shown.includes(field) ? [] : [text]));
      return others.length > 0 ? others.join(' ') : null;
    },
    async run(send, done) {
      if (isRunning.current) return false;
      isRunning.current = true;
      setPending(true);
      try {
        await send();
        setFailed(null);
      } catch (error) {
        setFailed({
          number: ++failures.current,
          problems: hasFields(error) ? error.fields : { error: errorMessage(error) },
          values: latest.current,
          connection: isOutage(error) ? connectionReturns.get() : null,
        });
        return false;
      } finally {
        isRunning.current = false;
        setPending(false);
      }
      await done?.();
      return true;
    },
  };
}
