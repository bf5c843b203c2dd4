import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { api, bodyOf } from '../data/api.ts';
import { Card, EmptyState, Page } from '../ui/page.tsx';
import styles from './auth.module.css';
import { authText } from './text.ts';

const featuredQuery = queryOptions({
  queryKey: ['featured'],
  queryFn: () => bodyOf(api.GET('/api/featured_sequences')),
});

/** The shared sequences that the operator recommends. */
export function FeaturedPage() {
  const text = authText();
  const sequences = useSuspenseQuery(featuredQuery).data;
  return (
    <Page title={text.featured} width="narrow">
      {sequences.length === 0 ? (
        <EmptyState title={text.featuredNone}>{text.featuredNoneText}</EmptyState>
      ) : (
        <Card>
          <ul className={styles.steps}>
            {sequences.map(({ id, name, description }) => (
              <li key={id}>
                <strong>{name}</strong>
                {description ? <p>{description}</p> : null}
              </li>
            ))}
          </ul>
        </Card>
      )}
    </Page>
  );
}
