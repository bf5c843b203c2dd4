import type { ReactNode } from 'react';
import styles from './entries.module.css';

interface EntriesProps {
  readonly label: string;
  /** Shown instead of a list without entries. */
  readonly empty?: ReactNode;
  readonly children: readonly ReactNode[];
}

/** A list of entries with actions. */
export const Entries = ({ label, empty, children }: EntriesProps) =>
  empty && children.length === 0 ? (
    empty
  ) : (
    <ul className={styles.entries} aria-label={label}>
      {children}
    </ul>
  );

export interface EntryProps {
  readonly title: ReactNode;
  /** A badge beside the title. */
  readonly mark?: string | null;
  readonly tone?: 'info' | 'success' | 'danger';
  /** Lines below the title. */
  readonly details?: readonly (string | null)[];
  /** Buttons and fields. */
  readonly controls?: ReactNode;
  /** Content below, in full width. */
  readonly children?: ReactNode;
}

/** An entry of a list. */
export const Entry = ({ title, mark, tone = 'success', details = [], controls, children }: EntryProps) => (
  <li className={styles.entry}>
    <div className={styles.words}>
      <span className={styles.title}>
        <strong>{title}</strong>
        {mark ? <span className={`${styles.mark} ${styles[tone]}`}>{mark}</span> : null}
      </span>
      {details.map((line) => (line ? <small key={line}>{line}</small> : null))}
    </div>
    {controls ? <div className={styles.controls}>{controls}</div> : null}
    {children ? <div className={styles.more}>{children}</div> : null}
  </li>
);
