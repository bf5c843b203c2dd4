import { useRef, useState } from 'react';
import { errorMessage, WordedError } from './error-message.ts';

/** The state of a form that is sent. */
export interface Submission {
  readonly isPending: boolean;
  /** The server's messages by field name; empty after a success. */
  readonly problems: Readonly<Record<string, string>>;
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

/** Sends a form, one request at a time, and keeps the server's messages about its fields. */
export function useSubmission(): Submission {
  const [isPending, setPending] = useState(false);
  // A second tap may come before the pending state is shown.
  const isRunning = useRef(false);
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  return {
    isPending,
    problems,
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
        setProblems({});
      } catch (error) {
        setProblems(hasFields(error) ? error.fields : { error: errorMessage(error) });
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
