import { Link } from '@tanstack/react-router';
import { EmptyState, Page } from '../ui/page.tsx';
import { shellText } from './text.ts';

/** What stands at an address that has no page. */
export function NotFound() {
  const text = shellText();
  return (
    <Page title={text.notFound} width="narrow">
      <EmptyState title={text.notFound} action={<Link to="/map">{text.toMap}</Link>}>
        {text.notFoundHint}
      </EmptyState>
    </Page>
  );
}
