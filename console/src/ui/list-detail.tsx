import type { ReactNode } from 'react';
import { Part } from './failure.tsx';
import styles from './list-detail.module.css';

export interface ListDetailProps {
  readonly list: ReactNode;
  /** The details of the chosen entry; null: none is chosen. On a phone it covers the list. */
  readonly detail: ReactNode | null;
}

/** A list with the details of the chosen entry beside it. */
export const ListDetail = ({ list, detail }: ListDetailProps) => (
  <div className={`${styles.both} ${detail === null ? '' : styles.hasDetail}`}>
    <div className={styles.list}>{list}</div>
    {detail === null ? null : (
      <div className={styles.detail}>
        <Part>{detail}</Part>
      </div>
    )}
  </div>
);

export interface RowsProps<T> {
  readonly label: string;
  readonly rows: readonly T[];
  /** A link with `className={rowClass}`. */
  readonly children: (row: T) => ReactNode;
  readonly keyOf: (row: T) => string | number;
}

/** A list of links. */
export const Rows = <T,>({ label, rows, children, keyOf }: RowsProps<T>) => (
  <ul className={styles.rows} aria-label={label} data-heir>
    {rows.map((row) => (
      <li key={keyOf(row)}>{children(row)}</li>
    ))}
  </ul>
);

/** The class of the link of a row. */
export const rowClass = styles.row ?? '';
