import type { ReactNode } from 'react';
import styles from './actions.module.css';

/** A row of buttons. */
export const Actions = ({ children }: { readonly children: ReactNode }) => (
  <div className={styles.actions}>{children}</div>
);
