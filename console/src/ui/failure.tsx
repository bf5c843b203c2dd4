import { type ReactNode, Suspense, useEffect } from 'react';
import { Button } from './button.tsx';
import { errorMessage, isWorded } from './error-message.ts';
import styles from './failure.module.css';
import { EmptyState } from './page.tsx';
import { endFirstPicture } from './page-shown.ts';
import { reload } from './reload.ts';
import { uiText } from './text.ts';

/** The placeholder of a page while it loads. */
export const Loading = () => (
  <p role="status" className={styles.loading}>
    {uiText().loading}
  </p>
);

/** Shown instead of a page that failed to load. */
export function Failure({ error, retry }: { readonly error: unknown; readonly retry: () => void }) {
  const text = uiText();
  useEffect(endFirstPicture, []);
  const actions = (
    <>
      <Button onPress={retry}>{text.tryAgain}</Button>
      {isWorded(error) ? null : (
        <>
          <Button onPress={() => void reload()}>{text.reload}</Button>
          <details className={styles.report}>
            <summary>{text.forReport}</summary>
            <code>{String(error)}</code>
          </details>
        </>
      )}
    </>
  );
  return (
    <div role="alert" className={styles.failure}>
      <EmptyState title={text.problem} action={actions}>
        {errorMessage(error)}
      </EmptyState>
    </div>
  );
}

/** A part of a page that loads on its own. */
export const Part = ({ children }: { readonly children: ReactNode }) => (
  <Suspense fallback={<Loading />}>{children}</Suspense>
);
