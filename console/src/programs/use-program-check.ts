import { useEffect, useMemo, useRef, useState } from 'react';
import { send } from '../data/api.ts';
import type { components } from '../data/generated/api.ts';
import { sentenceInWords } from '../data/server-failure.ts';
import { errorMessage } from '../ui/error-message.ts';
import { useLanguage } from '../ui/language.ts';
import type { Problem } from './problem-places.ts';
import { contentOf, type ProgramDraft } from './program-draft.ts';
import { stepNames } from './words.ts';

/** How long typing must pause before the program is checked, in ms. */
const pause = 400;

/** The problems of a draft that the server reports. */
export interface ProgramChecking {
  /** Those of the last check, and what would fail when the program runs. */
  readonly problems: readonly Problem[];
  /** Why the server could not check; null if it could. */
  readonly failure: string | null;
  /** Checks now, and returns what keeps the program from being stored. Throws an ApiError. */
  check(draft: ProgramDraft): Promise<readonly Problem[]>;
}

/** Checks a draft whenever editing pauses. */
export function useProgramCheck(id: number, draft: ProgramDraft): ProgramChecking {
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  const [failure, setFailure] = useState<string | null>(null);
  const newest = useRef(0);
  const check = async (checked: ProgramDraft): Promise<readonly Problem[]> => {
    const number = ++newest.current;
    const { args, body } = contentOf(checked);
    const result = await send<components['schemas']['ProgramCheck']>('POST', `/api/sequences/${id}/check`, {
      args,
      body,
    });
    if (number === newest.current) {
      setProblems([...result.problems, ...result.warnings]);
      setFailure(null);
    }
    return result.problems;
  };
  const { steps, variables } = draft;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the program alone is checked, not its name
  useEffect(() => {
    const timer = setTimeout(() => check(draft).catch((error: unknown) => setFailure(errorMessage(error))), pause);
    return () => clearTimeout(timer);
  }, [id, steps, variables]);
  const language = useLanguage();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the words are in the language of the page.
  const inWords = useMemo(
    () => problems.map((problem) => ({ ...problem, message: sentenceInWords(problem.message, stepNames) })),
    [problems, language],
  );
  return { problems: inWords, failure, check };
}
