import { type ReactNode, useCallback, useMemo, useState } from 'react';
import type { StoredDraft } from './draft.ts';
import { FieldNotes } from './field-notes.tsx';
import { getLanguage } from './language.ts';
import { Notice } from './page.tsx';
import { spliced } from './spliced.ts';
import type { Submission } from './submission.ts';
import { uiText } from './text.ts';

/** The labels of the fields of a record, and functions that return a value in words; null if it takes more than a few. */
export type WordedFields<T> = {
  readonly [F in keyof T]: readonly [label: string, words: (value: T[F]) => string | null];
};

/** Returns a text or number in words; null for another value. */
export const plainWords = (value: unknown): string | null =>
  typeof value === 'number' ? value.toLocaleString(getLanguage()) : typeof value === 'string' && value ? value : null;

/** The fields of a form, each with a warning where it was changed here and elsewhere: saving replaces that. Warnings about values without a field are below them. */
export function Meanwhile<T>({
  draft: { conflicts },
  submission,
  fields,
  children,
}: {
  readonly draft: StoredDraft<T>;
  readonly submission: Submission;
  readonly fields: WordedFields<T>;
  readonly children: ReactNode;
}) {
  const [claimed, setClaimed] = useState<readonly string[]>([]);
  const claim = useCallback((name: string) => {
    setClaimed((all) => [...all, name]);
    return () => setClaimed((all) => spliced(all, all.indexOf(name), 1));
  }, []);
  const names = (Object.keys(fields) as (keyof T & string)[]).filter((name) => name in conflicts);
  // A value being saved is shown as stored before the server responds.
  const shown = submission.isPending ? [] : names;
  const sentenceOf = (name: keyof T & string): string => {
    const [label, words] = fields[name];
    return uiText().meanwhile(label, words(conflicts[name] as T[typeof name]));
  };
  const sentences = Object.fromEntries(shown.map((name) => [name, sentenceOf(name)]));
  const text = JSON.stringify(sentences);
  const notes = useMemo(() => ({ sentences: JSON.parse(text), claim }), [text, claim]);
  const others = shown.filter((name) => !claimed.includes(name));
  return (
    <FieldNotes value={notes}>
      {children}
      {others.length > 0 ? (
        <Notice tone="warn">
          {others.map((name) => (
            <p key={name}>{sentences[name]}</p>
          ))}
        </Notice>
      ) : null}
    </FieldNotes>
  );
}
