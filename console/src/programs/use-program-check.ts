import { useCallback, useEffect, useRef, useState } from 'react';
import { send } from '../data/api.ts';
import type { components } from '../data/generated/api.ts';
import { connectionReturns } from '../ui/connection-returns.ts';
import { errorMessage } from '../ui/error-message.ts';
import { useLanguage } from '../ui/language.ts';
import { useStore } from '../ui/store.ts';
import type { Problem } from './problem-places.ts';
import { type ProgramDraft, storedProgram } from './program-draft.ts';

/** How long typing must pause before the program is checked, in ms. */
const pause = 400;

/** The checked part of a draft. */
type CheckedDraft = Pick<ProgramDraft, 'variables' | 'steps'>;

/** The problems of a draft that the server reports. */
export type ProgramChecking = ReturnType<typeof useProgramCheck>;

/** Checks a draft whenever editing pauses. */
export function useProgramCheck(id: number, draft: ProgramDraft) {
  /** The problems of the last check, and warnings of failures when the program runs. */
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  /** Whether the program of the last check can be stored. */
  const [isStorable, setStorable] = useState(true);
  /** The reason why the server could not check; null if it could. */
  const [failure, setFailure] = useState<string | null>(null);
  const newest = useRef(0);
  /** Checks now, and returns the problems that keep the program from being stored. Throws an ApiError. */
  const check = useCallback(
    async (checked: CheckedDraft): Promise<readonly Problem[]> => {
      const number = ++newest.current;
      const address = `/api/sequences/${id}/check`;
      const result = await send<components['schemas']['ProgramCheck']>('POST', address, storedProgram(checked));
      if (number === newest.current) {
        setProblems([...result.problems, ...result.warnings]);
        setStorable(result.problems.length === 0);
        setFailure(null);
      }
      return result.problems;
    },
    [id],
  );
  const { steps, variables } = draft;
  const language = useLanguage();
  const connection = useStore(connectionReturns);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the server writes the problems in the language of the page, and could not while it was away
  useEffect(() => {
    const start = (): void => {
      check({ steps, variables }).catch((error: unknown) => setFailure(errorMessage(error)));
    };
    const timer = setTimeout(start, pause);
    return () => clearTimeout(timer);
  }, [check, steps, variables, language, connection]);
  return { problems, isStorable, failure, check };
}
