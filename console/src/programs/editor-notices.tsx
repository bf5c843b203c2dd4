import { useEffect, useRef } from 'react';
import { Actions } from '../ui/actions.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/page.tsx';
import type { Submission } from '../ui/submission.ts';
import { OtherProblems } from '../ui/submission-problems.tsx';
import styles from './editor.module.css';
import type { ProblemPlaces } from './problem-places.ts';
import { programsText } from './text.ts';
import type { ProgramChecking } from './use-program-check.ts';
import type { ProgramEditing } from './use-program-draft.ts';

export interface EditorNoticesProps {
  readonly editing: ProgramEditing;
  readonly checking: ProgramChecking;
  readonly places: ProblemPlaces;
  /** The submission of the program. Its problems are here, too, because the panel with the name is not always open. */
  readonly submission: Submission;
  /** How often saving was tried although the program has problems. */
  readonly refusals: number;
  readonly onOpen: (index: number) => void;
}

/** Notices: changes made elsewhere, problems, a check that failed. */
export function EditorNotices({ editing, checking, places, submission, refusals, onOpen }: EditorNoticesProps) {
  const text = programsText();
  const isRefused = refusals > 0;
  const refusal = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (refusals > 0) refusal.current?.scrollIntoView({ block: 'nearest' });
  }, [refusals]);
  return (
    <>
      {editing.isConflict ? (
        <Notice tone="warn">
          <p>{text.changedElsewhere}</p>
          <Actions>
            <Button onPress={editing.keepMine}>{text.keepMine}</Button>
            <Button onPress={editing.discard}>{text.takeTheirs}</Button>
          </Actions>
        </Notice>
      ) : null}
      <OtherProblems of={submission} />
      {checking.failure ? <Notice tone="warn">{text.notChecked(checking.failure)}</Notice> : null}
      {isRefused || places.others.length > 0 ? (
        <div ref={refusal}>
          <Notice tone={isRefused ? 'danger' : 'warn'}>
            {isRefused ? <p>{text.refused}</p> : null}
            <ul className={styles.problems}>
              {places.others.map(({ path, message }) => (
                <li key={path + message}>{message}</li>
              ))}
              {[...places.variables.values()].flat().map(({ path, message }) => (
                <li key={path + message}>{message}</li>
              ))}
              {[...places.steps].map(([index, problems]) => (
                <li key={index}>
                  <Button tone="quiet" onPress={() => onOpen(index)}>
                    {text.stepNumber(index + 1)}
                  </Button>{' '}
                  {problems.map(({ message }) => message).join(' ')}
                </li>
              ))}
            </ul>
          </Notice>
        </div>
      ) : null}
      {editing.isChanged && !editing.isConflict ? (
        <Actions>
          <Button tone="quiet" onPress={editing.discard}>
            {text.discard}
          </Button>
        </Actions>
      ) : null}
    </>
  );
}
