import { useSuspenseQuery } from '@tanstack/react-query';
import { api, bodyOf } from '../data/api.ts';
import { attempt, confirmed } from '../data/confirmation.ts';
import { useFormatTime } from '../data/garden-time.ts';
import { Button } from '../ui/button.tsx';
import { Entries, Entry } from '../ui/entries.tsx';
import { Card, EmptyState } from '../ui/page.tsx';
import { showToast } from '../ui/toasts.tsx';
import { reloadServer, serverQueries } from './queries.ts';
import { serverText } from './text.ts';

/** Background jobs that failed permanently, and their retry. */
export function Jobs() {
  const text = serverText();
  const formatTime = useFormatTime();
  const jobs = useSuspenseQuery(serverQueries.jobs).data;
  const retry = (send: () => Promise<{ readonly retried: number }>): Promise<boolean> =>
    attempt(async () => {
      const { retried } = await send();
      showToast({ text: text.retried(retried) });
      await reloadServer();
    });
  const retryAll = () => retry(() => confirmed((body) => bodyOf(api.POST('/api/admin/jobs/retry', { body }))));
  const retryOne = (id: number) =>
    retry(() =>
      confirmed((body) => bodyOf(api.POST('/api/admin/jobs/{id}/retry', { params: { path: { id } }, body }))),
    );
  return (
    <Card
      title={text.parts.jobs}
      actions={jobs.length > 1 ? <Button onPress={() => void retryAll()}>{text.retryAll}</Button> : null}
    >
      <p>{text.jobsHint}</p>
      {jobs.length === 0 ? (
        <EmptyState title={text.noJobs} />
      ) : (
        <Entries label={text.parts.jobs}>
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
      )}
    </Card>
  );
}
