import { Fragment, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { ChevronLeft, ChevronRight } from './icons.tsx';
import styles from './tabs.module.css';

/** The ends of a row that are out of view. */
const hiddenEnds = ({ scrollLeft, scrollWidth, clientWidth }: Element) => ({
  hasBefore: scrollLeft > 1,
  hasAfter: scrollLeft + clientWidth < scrollWidth - 1,
});

/** Links to the parts of a page: each with `className={tabClass}`, the open one with `aria-current`. On a phone they are one row that scrolls, with an arrow where there are more. */
export function Tabs({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  const row = useRef<HTMLElement>(null);
  const shown = useRef<Element | null>(null);
  const [{ hasBefore, hasAfter }, setHidden] = useState({ hasBefore: false, hasAfter: false });
  const measure = (): void => {
    if (!row.current) return;
    const next = hiddenEnds(row.current);
    if (next.hasBefore !== hasBefore || next.hasAfter !== hasAfter) setHidden(next);
  };
  const resized = useEffectEvent(measure);
  // After each render: the open tab is known only from `aria-current` of its link.
  useEffect(() => {
    const open = row.current?.querySelector('[aria-current]') ?? null;
    if (open !== shown.current) {
      shown.current = open;
      if (row.current && open instanceof HTMLElement)
        row.current.scrollLeft = open.offsetLeft - (row.current.clientWidth - open.offsetWidth) / 2;
    }
    measure();
  });
  useEffect(() => {
    const observer = new ResizeObserver(() => resized());
    if (row.current) observer.observe(row.current);
    return () => observer.disconnect();
  }, []);
  return (
    <div className={styles.frame}>
      <nav
        ref={row}
        className={styles.tabs}
        aria-label={label}
        data-before={hasBefore || undefined}
        data-after={hasAfter || undefined}
        onScroll={measure}
      >
        {children}
      </nav>
      {hasBefore ? <ChevronLeft className={styles.before} size={20} aria-hidden="true" /> : null}
      {hasAfter ? <ChevronRight className={styles.after} size={20} aria-hidden="true" /> : null}
    </div>
  );
}

/** The properties of a part's link. */
interface TabProps {
  readonly className: string;
  readonly 'aria-current': 'page' | undefined;
}

/** {@link Tabs} of the parts of a page, by name. `children` returns the link of a part, with the properties that it is given. */
export const PartTabs = <P extends string>({
  label,
  parts,
  open,
  children,
}: {
  readonly label: string;
  readonly parts: readonly P[];
  readonly open: P | undefined;
  readonly children: (part: P, tab: TabProps) => ReactNode;
}) => (
  <Tabs label={label}>
    {parts.map((part) => (
      <Fragment key={part}>
        {children(part, { className: tabClass, 'aria-current': part === open ? 'page' : undefined })}
      </Fragment>
    ))}
  </Tabs>
);

/** The class of the link of a part. */
export const tabClass = styles.tab ?? '';
