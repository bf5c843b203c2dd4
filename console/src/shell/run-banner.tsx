import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { explanationInWords } from '../data/explanation.ts';
import { isActive, type Run, resumeRun, stopRun, useRun } from '../data/runs.ts';
import { ownGarden, singleQueries } from '../data/singles.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { useDraft } from '../ui/draft.ts';
import { X } from '../ui/icons.tsx';
import styles from './run.module.css';
import { runText } from './run-text.ts';

/** How long the result of a run is shown, in ms: also to a person who locked the phone meanwhile. */
const shownTime = 3_600_000;

/** The run over several places, below the header of every page: its progress, its result, and buttons for those who may command the robot. Never suspends. */
export function RunBanner() {
  const run = useRun();
  const [now] = useState(Date.now);
  const [closed, setClosed] = useDraft('closed run', 0);
  const isShown =
    run !== undefined && !(isOver(run) && (run.id === closed || Date.parse(run.ended_at ?? '') < now - shownTime));
  return (
    // Always mounted, so that screen readers announce its content.
    <div className={styles.run} data-state={run?.state} hidden={!isShown}>
      <span role="status">{isShown ? <Sentence run={run} /> : null}</span>
      {isShown ? <Controls run={run} onClose={() => setClosed(run.id)} /> : null}
      {isShown && isActive(run) ? (
        <progress max={run.total} value={run.done + run.skipped} aria-label={runText().progress} />
      ) : null}
    </div>
  );
}

/** Whether it needs no decision any more: only its result is shown. */
const isOver = ({ state }: Run): boolean => state === 'done' || state === 'stopped';

function Sentence({ run: { name, state, total, done, skipped, place, problem } }: { readonly run: Run }) {
  const text = runText();
  const number = Math.min(total, done + skipped + 1);
  const reason = useQuery({
    queryKey: ['explanation', problem],
    queryFn: () => explanationInWords(problem),
    enabled: problem !== null,
  }).data;
  if (state === 'done' || state === 'stopped')
    return `${text.over(name, done, total)}${skipped > 0 ? ` ${text.skipped(skipped)}` : ''}`;
  const sentence = text[state](name, number, total, place ?? '');
  return state === 'interrupted' ? `${reason ?? problem ?? ''} ${sentence}` : sentence;
}

function Controls({ run, onClose }: { readonly run: Run; readonly onClose: () => void }) {
  const text = runText();
  const isViewer = ownGarden(useQuery(singleQueries.gardens).data ?? [])?.role === 'viewer';
  if (isOver(run)) return <IconButton label={text.close} icon={<X />} onPress={onClose} />;
  if (isViewer) return null;
  if (run.state === 'interrupted')
    return (
      <>
        <Button tone="primary" onPress={() => void resumeRun(run, false)}>
          {text.goOn}
        </Button>
        <Button onPress={() => void resumeRun(run, true)}>{text.skip}</Button>
        <Button onPress={() => void stopRun(run)}>{text.end}</Button>
      </>
    );
  return (
    <Button isDisabled={run.state === 'stopping'} onPress={() => void stopRun(run)}>
      {text.stop}
    </Button>
  );
}
