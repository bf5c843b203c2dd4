import { type ReactNode, useEffect } from 'react';
import styles from './page.module.css';
import { pageShown } from './page-shown.ts';
import { uiText } from './text.ts';

export interface PageProps {
  readonly title: string;
  /** The part of the page that is shown, for the title of the tab. */
  readonly part?: string | undefined;
  /** Buttons beside the title. */
  readonly actions?: ReactNode;
  /** A line below the title: tabs, filters. */
  readonly bar?: ReactNode;
  readonly children: ReactNode;
  /** Text pages are narrow; tables and editors take all. */
  readonly width?: 'narrow' | 'normal' | 'full';
}

/** A page of the console with its title, which is also the tab's. */
export function Page({ title, part, actions, bar, children, width = 'normal' }: PageProps) {
  usePageTitle(part === undefined ? title : `${part} · ${title}`);
  return (
    <div className={`${styles.page} ${styles[width]}`}>
      <header className={styles.header}>
        <h1>{title}</h1>
        {actions ? <div className={styles.actions}>{actions}</div> : null}
      </header>
      {bar ? <div className={styles.bar}>{bar}</div> : null}
      {children}
    </div>
  );
}

/** Sets the title of the browser's tab. Each page calls it when its content is rendered. */
export function usePageTitle(title: string): void {
  useEffect(pageShown, []);
  useEffect(() => {
    document.title = `${title} · Potager`;
  }, [title]);
}

/** A section of a page. */
export const Card = ({
  title,
  actions,
  children,
}: {
  readonly title?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) => (
  <section className={styles.card}>
    {title || actions ? (
      <header className={styles.cardHeader}>
        {title ? <h2>{title}</h2> : <span />}
        {actions ? <div className={styles.actions}>{actions}</div> : null}
      </header>
    ) : null}
    {children}
  </section>
);

/** Cards in columns, as many as there is room for. */
export const Cards = ({ children }: { readonly children: ReactNode }) => <div className={styles.cards}>{children}</div>;

/** Shown for an address of something that does not exist. */
export const Missing = () => <Notice tone="warn">{uiText().missing}</Notice>;

/** Explains an empty page: its purpose, and the next step. */
export const EmptyState = ({
  icon,
  title,
  children,
  action,
}: {
  readonly icon?: ReactNode;
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}) => (
  <div className={styles.empty}>
    {icon}
    <h2>{title}</h2>
    {children ? <p>{children}</p> : null}
    {action}
  </div>
);

/** A highlighted message: something is wrong, or needs attention. */
export const Notice = ({
  tone = 'info',
  children,
}: {
  readonly tone?: 'info' | 'warn' | 'danger' | 'success';
  readonly children: ReactNode;
}) => (
  <div role={tone === 'danger' ? 'alert' : 'status'} className={`${styles.notice} ${styles[tone]}`}>
    {children}
  </div>
);
