import { type RefObject, useEffect, useRef } from 'react';
import { Notice } from './page.tsx';
import type { Submission } from './submission.ts';

interface OtherProblemsProps {
  readonly of: Submission;
  /** The fields that show their problems themselves. */
  readonly fields?: readonly string[];
}

/** Scrolls to a part of a form: above its buttons, which stay in view in some panels, in one line or in several. */
function scrollIntoForm(element: HTMLElement): void {
  const buttons = element.closest('form')?.lastElementChild;
  if (buttons instanceof HTMLElement) element.style.scrollMarginBottom = `${buttons.offsetHeight}px`;
  element.scrollIntoView({ block: 'nearest' });
}

/** Announces the problems of a submission that no field shows, and scrolls to them. */
export function OtherProblems({ of: submission, fields = [] }: OtherProblemsProps) {
  const element = useRef<HTMLDivElement>(null);
  const { failures } = submission;
  useEffect(() => {
    if (failures > 0 && element.current) scrollIntoForm(element.current);
  }, [failures]);
  const others = submission.rest(...fields);
  return others === null ? null : (
    <div ref={element}>
      <Notice tone="danger">{others}</Notice>
    </div>
  );
}

const widgetIn = (field: Element): HTMLElement | null =>
  field.querySelector<HTMLElement>(':is(input:not([type=hidden]), textarea, button):enabled');

/** Focuses the first field that a submission found a problem in, and scrolls to it, unless the focus is elsewhere by then. */
export function useFocusOfProblem(form: RefObject<HTMLElement | null>, submission: Submission | undefined): void {
  const failures = submission?.failures ?? 0;
  useEffect(() => {
    const focused = document.activeElement ?? document.body;
    const isElsewhere = focused !== document.body && !form.current?.contains(focused);
    if (failures === 0 || isElsewhere) return;
    const fields = [...(form.current?.querySelectorAll<HTMLElement>('[data-invalid]') ?? [])];
    const field = fields.find(widgetIn) ?? fields[0];
    const widget = field && widgetIn(field);
    // Screen readers say the problem of a field when it gets the focus.
    widget?.blur();
    widget?.focus({ preventScroll: true });
    if (field) scrollIntoForm(field);
  }, [form, failures]);
}
