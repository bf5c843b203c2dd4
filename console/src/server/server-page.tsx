import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { ApiError } from '../data/api-error.ts';
import { Failure, Loading, Part } from '../ui/failure.tsx';
import { EmptyState, Page } from '../ui/page.tsx';
import { PartTabs } from '../ui/tabs.tsx';
import { Figures } from './figures.tsx';
import { Invitations } from './invitations.tsx';
import { Jobs } from './jobs.tsx';
import { serverQueries } from './queries.ts';
import { serverParts } from './server-parts.ts';
import { State } from './state.tsx';
import { serverText } from './text.ts';
import { Users } from './users.tsx';

const serverRoute = getRouteApi('/garden/server');

const pages: Readonly<Record<(typeof serverParts)[number], ComponentType>> = {
  state: State,
  figures: Figures,
  users: Users,
  invitations: Invitations,
  jobs: Jobs,
};

/** The server, for its administrators; the API refuses others. */
export function ServerPage() {
  const text = serverText();
  const { part = 'state' } = serverRoute.useSearch();
  const Content = pages[part];
  const state = useQuery(serverQueries.state);
  const isRefused = state.error instanceof ApiError && state.error.status === 403;
  return (
    <Page
      title={text.title}
      part={text.parts[part]}
      bar={
        isRefused ? null : (
          <PartTabs label={text.title} parts={serverParts} open={part}>
            {(name, tab) => (
              <Link {...tab} to="/server" search={{ part: name }}>
                {text.parts[name]}
              </Link>
            )}
          </PartTabs>
        )
      }
    >
      {isRefused ? (
        <EmptyState title={text.forAdministrators} action={<Link to="/map">{text.toMap}</Link>}>
          {text.forAdministratorsHint}
        </EmptyState>
      ) : state.error ? (
        <Failure error={state.error} retry={() => void state.refetch()} />
      ) : state.isPending ? (
        <Loading />
      ) : (
        <Part key={part}>
          <Content />
        </Part>
      )}
    </Page>
  );
}
