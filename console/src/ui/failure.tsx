import { type ReactNode, Suspense } from 'react';
import { Button } from './button.tsx';
import { errorMessage } from './error-message.ts';
import { EmptyState } from './page.tsx';
import { uiText } from './text.ts';

/** The placeholder of a page while it loads. */
export const Loading = () => (
  <p role="status" style={{ padding: 'var(--space-5)', color: 'var(--ink-soft)' }}>
    {uiText().loading}
  </p>
);

/** Shown instead of a page that failed to load. */
export const Failure = ({ error, retry }: { readonly error: unknown; readonly retry: () => void }) => (
  <div role="alert" style={{ padding: 'var(--space-5)' }}>
    <EmptyState title={uiText().problem} action={<Button onPress={retry}>{uiText().tryAgain}</Button>}>
      {errorMessage(error)}
    </EmptyState>
  </div>
);

/** A part of a page that loads on its own. */
export const Part = ({ children }: { readonly children: ReactNode }) => (
  <Suspense fallback={<Loading />}>{children}</Suspense>
);
