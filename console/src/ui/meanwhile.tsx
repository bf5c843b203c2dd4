import type { StoredDraft } from './draft.ts';
import { getLanguage } from './language.ts';
import { Notice } from './page.tsx';
import type { Submission } from './submission.ts';
import { uiText } from './text.ts';

/** The labels of the fields of a record, and functions that return a value in words; null if it takes more than a few. */
export type WordedFields<T> = {
  readonly [F in keyof T]: readonly [label: string, words: (value: T[F]) => string | null];
};

/** Returns a text or number in words; null for another value. */
export const plainWords = (value: unknown): string | null =>
  typeof value === 'number' ? value.toLocaleString(getLanguage()) : typeof value === 'string' && value ? value : null;

/** Lists the fields of a form that were changed here and elsewhere, and warns that saving replaces them. */
export function Meanwhile<T>({
  draft: { conflicts },
  submission,
  fields,
}: {
  readonly draft: StoredDraft<T>;
  readonly submission: Submission;
  readonly fields: WordedFields<T>;
}) {
  const names = (Object.keys(fields) as (keyof T & string)[]).filter((name) => name in conflicts);
  // A value being saved is shown as stored before the server responds.
  if (names.length === 0 || submission.isPending) return null;
  return (
    <Notice tone="warn">
      {names.map((name) => {
        const [label, words] = fields[name];
        return <p key={name}>{uiText().meanwhile(label, words(conflicts[name] as T[typeof name]))}</p>;
      })}
    </Notice>
  );
}
