import { type ReactNode, Suspense } from 'react';
import { Button } from './button.tsx';
import { EmptyState } from './page.tsx';
import { uiText } from './text.ts';

/** What stands where a page is while it is read. */
export const Loading = () => (
  <p role="status" style={{ padding: 'var(--space-5)', color: 'var(--ink-soft)' }}>
    {uiText().loading}
  </p>
);

/** What stands where a page could not be shown. */
export const Failure = ({ error, retry }: { readonly error: unknown; readonly retry: () => void }) => (
  <div role="alert" style={{ padding: 'var(--space-5)' }}>
    <EmptyState title={uiText().problem} action={<Button onPress={retry}>{uiText().tryAgain}</Button>}>
      {error instanceof Error ? error.message : String(error)}
    </EmptyState>
  </div>
);

/** A part of a page that is read by itself. */
export const Part = ({ children }: { readonly children: ReactNode }) => (
  <Suspense fallback={<Loading />}>{children}</Suspense>
);
