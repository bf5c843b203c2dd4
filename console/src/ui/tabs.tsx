import type { ReactNode } from 'react';
import styles from './tabs.module.css';

/** Links to the parts of a page: each with `className={tabClass}`, the open one with `aria-current="page"`. */
export const Tabs = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <nav className={styles.tabs} aria-label={label}>
    {children}
  </nav>
);

/** The class of the link of a part. */
export const tabClass = styles.tab ?? '';
