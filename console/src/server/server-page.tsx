import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ComponentType, useMemo } from 'react';
import { mebibyte } from '../../../src/core/size-text.ts';
import { bodyOf } from '../data/api.ts';
import { ApiError } from '../data/api-error.ts';
import { confirmedApi } from '../data/confirmation.ts';
import { useFormatTime, useZone } from '../data/garden-time.ts';
import type { components } from '../data/generated/api.ts';
import { InvitationForm } from '../data/invitation-form.tsx';
import { Button } from '../ui/button.tsx';
import { Chart } from '../ui/chart.tsx';
import { Entries, Entry } from '../ui/entries.tsx';
import { Failure, Loading, Part } from '../ui/failure.tsx';
import { measured } from '../ui/numbers.ts';
import { Card, EmptyState, Page } from '../ui/page.tsx';
import { PartTabs } from '../ui/tabs.tsx';
import { showToast } from '../ui/toasts.tsx';
import { changeServer, reloadServer, serverQueries } from './queries.ts';
import styles from './server.module.css';
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

/** Background jobs that failed permanently, and their retry. */
function Jobs() {
  const text = serverText();
  const formatTime = useFormatTime();
  const jobs = useSuspenseQuery(serverQueries.jobs).data;
  const retry = (send: () => Promise<{ readonly data?: { readonly retried: number } }>) =>
    changeServer(async () => showToast({ text: text.retried((await bodyOf(send())).retried) }));
  const retryAll = () => retry(() => confirmedApi.POST('/api/admin/jobs/retry'));
  const retryOne = (id: number) =>
    retry(() => confirmedApi.POST('/api/admin/jobs/{id}/retry', { params: { path: { id } } }));
  return (
    <Card
      title={text.parts.jobs}
      actions={jobs.length > 1 ? <Button onPress={() => void retryAll()}>{text.retryAll}</Button> : null}
    >
      <p>{text.jobsHint}</p>
      <Entries label={text.parts.jobs} empty={<EmptyState title={text.noJobs} />}>
        {jobs.map(({ id, kind, device_id, attempts, failed_at, last_error }) => (
          <Entry
            key={id}
            title={kind}
            details={[
              last_error,
              text.failed(formatTime(failed_at), attempts),
              device_id === null ? null : text.garden(device_id),
            ]}
            controls={
              <Button aria-label={text.retryOf(kind)} onPress={() => void retryOne(id)}>
                {text.retry}
              </Button>
            }
          />
        ))}
      </Entries>
    </Card>
  );
}

const empty = { email: '' };

/** Invitations to create an account on this server. */
function Invitations() {
  const text = serverText();
  return (
    <InvitationForm
      title={text.invite}
      hint={text.inviteHint}
      empty={empty}
      draft="server invitation"
      invitations={useSuspenseQuery(serverQueries.invitations).data}
      invite={(body) => bodyOf(confirmedApi.POST('/api/admin/invitations', { body }))}
      withdraw={(id) => confirmedApi.DELETE('/api/admin/invitations/{id}', { params: { path: { id } } })}
      reload={reloadServer}
    />
  );
}

type Sample = components['schemas']['ServerFigures']['samples'][number];

const day = 86_400;

/** The charts, each with its divisor. */
const measures = [
  { field: 'requests', divisor: 1 },
  { field: 'errors', divisor: 1 },
  { field: 'memory', divisor: mebibyte },
  { field: 'event_loop_delay', divisor: 1 },
  { field: 'jobs_waiting', divisor: 1 },
  { field: 'http_connections', divisor: 1 },
  { field: 'broker_connections', divisor: 1 },
] as const satisfies readonly { readonly field: keyof Sample; readonly divisor: number }[];

/** Figures of the server over the last day. */
function Figures() {
  const text = serverText();
  const { process, samples } = useSuspenseQuery(serverQueries.figures).data;
  return (
    <>
      <p>{text.figuresHint(process)}</p>
      {samples.length < 2 ? <EmptyState title={text.noFigures} /> : null}
      <div className={styles.charts}>
        {measures.map((measure) => (
          <Figure key={measure.field} measure={measure} samples={samples} />
        ))}
      </div>
    </>
  );
}

function Figure({
  measure: { field, divisor },
  samples,
}: {
  readonly measure: (typeof measures)[number];
  readonly samples: readonly Sample[];
}) {
  const text = serverText();
  const unit = text.figureUnits[field] ?? '';
  const zone = useZone();
  const times = useMemo(() => samples.map(({ at }) => Date.parse(at) / 1000), [samples]);
  const values = useMemo(
    () => samples.map(({ [field]: value }) => (value === null ? null : value / divisor)),
    [samples, field, divisor],
  );
  const numbers = values.filter((value) => value !== null);
  const [last, to] = [numbers.at(-1), times.at(-1)];
  if (last === undefined || to === undefined || numbers.length < 2) return null;
  const shown = (value: number): string => measured(value, unit);
  const name = text.figures[field];
  // From the first sample, if the server was started within the day.
  const from = Math.max(times[0] ?? to, to - day);
  return (
    <Card title={name}>
      <p>{text.now(shown(last))}</p>
      <Chart
        label={text.chart(name, shown(last), shown(Math.min(...numbers)), shown(Math.max(...numbers)))}
        name={name}
        unit={unit}
        times={times}
        values={values}
        span={[from, to]}
        zone={zone}
      />
    </Card>
  );
}
