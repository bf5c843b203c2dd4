import { type RefObject, useEffect, useRef } from 'react';
import { Notice } from './page.tsx';
import type { Submission } from './submission.ts';

interface OtherProblemsProps {
  readonly of: Submission;
  /** The fields that show their problems themselves. */
  readonly fields?: readonly string[];
}

/** Announces the problems of a submission that no field shows, and scrolls to them. */
export function OtherProblems({ of: submission, fields = [] }: OtherProblemsProps) {
  const element = useRef<HTMLDivElement>(null);
  const { problems } = submission;
  useEffect(() => {
    if (Object.keys(problems).length > 0) element.current?.scrollIntoView({ block: 'nearest' });
  }, [problems]);
  const others = submission.rest(...fields);
  return others === null ? null : (
    <div ref={element}>
      <Notice tone="danger">{others}</Notice>
    </div>
  );
}

/** Focuses the first field that a submission found a problem in, and scrolls to it. */
export function useFocusOfProblem(form: RefObject<HTMLElement | null>, problems: Submission['problems'] = {}): void {
  useEffect(() => {
    if (Object.keys(problems).length === 0) return;
    const field = form.current?.querySelector('[data-invalid]');
    const widget = field?.querySelector<HTMLElement>('input:not([type=hidden]), textarea, button');
    if (!field || !widget) return;
    // Screen readers say the problem of a field when it gets the focus.
    widget.blur();
    widget.focus({ preventScroll: true });
    field.scrollIntoView({ block: 'nearest' });
  }, [form, problems]);
}
