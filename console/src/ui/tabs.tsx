import { type ReactNode, useEffect, useRef } from 'react';
import styles from './tabs.module.css';

/** Links to the parts of a page: each with `className={tabClass}`, the open one with `aria-current`. On a phone they are one row that scrolls. */
export function Tabs({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  const row = useRef<HTMLElement>(null);
  const shown = useRef<Element | null>(null);
  // After each render: the open tab is known only from `aria-current` of its link.
  useEffect(() => {
    const open = row.current?.querySelector('[aria-current]') ?? null;
    if (open === shown.current) return;
    shown.current = open;
    if (row.current && open instanceof HTMLElement)
      row.current.scrollLeft = open.offsetLeft - (row.current.clientWidth - open.offsetWidth) / 2;
  });
  return (
    <nav ref={row} className={styles.tabs} aria-label={label}>
      {children}
    </nav>
  );
}

/** The class of the link of a part. */
export const tabClass = styles.tab ?? '';
