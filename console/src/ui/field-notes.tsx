import { createContext, useContext, useLayoutEffect } from 'react';
import styles from './fields.module.css';

/** Sentences about fields of a form, by the names of the fields. */
export interface Notes {
  readonly sentences: Readonly<Record<string, string>>;
  /** Called by a field that shows its sentence itself; returns a function for its end. */
  claim(name: string): () => void;
}

export const FieldNotes = createContext<Notes | null>(null);

/** The sentence about a field, beside it. */
export function FieldNote({ name }: { readonly name: string | undefined }) {
  const notes = useContext(FieldNotes);
  const claim = notes?.claim;
  useLayoutEffect(() => (name === undefined ? undefined : claim?.(name)), [claim, name]);
  const sentence = name === undefined ? undefined : notes?.sentences[name];
  return sentence === undefined ? null : (
    <p role="status" className={styles.note}>
      {sentence}
    </p>
  );
}
