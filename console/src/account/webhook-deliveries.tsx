import { useSuspenseQuery } from '@tanstack/react-query';
import { api, bodyOf } from '../data/api.ts';
import { attempt, confirmed } from '../data/confirmation.ts';
import { useFormatTime } from '../data/garden-time.ts';
import { Button } from '../ui/button.tsx';
import { Entries, Entry } from '../ui/entries.tsx';
import styles from './account.module.css';
import { partsText } from './parts-text.ts';
import { reloadAccount } from './queries.ts';

/** Interval between reads of pending deliveries, in ms. */
const refreshTime = 2000;

/** The deliveries of a webhook with the responses; read again while some are pending. */
export function Deliveries({ webhookId }: { readonly webhookId: number }) {
  const text = partsText();
  const formatTime = useFormatTime();
  const deliveries = useSuspenseQuery({
    queryKey: ['account', 'deliveries', webhookId],
    staleTime: 0,
    queryFn: () => bodyOf(api.GET('/api/webhooks/{id}/deliveries', { params: { path: { id: webhookId } } })),
    refetchInterval: ({ state }) =>
      state.data?.some(({ status }) => status === 'waiting' || status === 'sending') ? refreshTime : false,
  }).data;
  const redeliver = (delivery_id: number): Promise<boolean> =>
    attempt(async () => {
      const path = { id: webhookId, delivery_id };
      await confirmed((body) =>
        api.POST('/api/webhooks/{id}/deliveries/{delivery_id}/redeliver', { params: { path }, body }),
      );
      await reloadAccount();
    });
  if (deliveries.length === 0) return <p>{text.noDeliveries}</p>;
  return (
    <Entries label={text.deliveries}>
      {deliveries.map(({ id, type, status, attempts, created_at, duration, response_status, response_body, error }) => (
        <Entry
          key={id}
          title={type}
          mark={text.statuses[status]}
          tone={status === 'failed' ? 'danger' : status === 'delivered' ? 'success' : 'info'}
          details={[
            [
              formatTime(created_at, { timeStyle: 'medium' }),
              text.attempts(attempts),
              duration === null ? null : `${duration} ms`,
              response_status === null ? null : `HTTP ${response_status}`,
            ]
              .filter(Boolean)
              .join(' · '),
            error,
          ]}
          controls={
            <Button aria-label={text.redeliverOf(type)} onPress={() => void redeliver(id)}>
              {text.redeliver}
            </Button>
          }
        >
          {response_body ? (
            <section aria-label={text.answer}>
              <pre className={styles.answer}>{response_body}</pre>
            </section>
          ) : null}
        </Entry>
      ))}
    </Entries>
  );
}
