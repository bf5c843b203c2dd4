import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import { reread } from './reread.ts';

/** A query with responses that arrive when the test has them arrive. */
function heldQuery() {
  const client = new QueryClient({
    defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } },
  });
  const responses: ((value: string) => void)[] = [];
  const queryFn = () => new Promise<string>((resolve) => responses.push(resolve));
  const observer = new QueryObserver(client, { queryKey: ['runs', 1], queryFn });
  return { client, responses, observer, show: () => observer.subscribe(() => undefined) };
}

it('reads again what is shown, also while the first response is on its way', async () => {
  const { client, responses, observer, show } = heldQuery();
  show();
  reread(client, ['runs']);
  expect(responses).toHaveLength(2);
  responses[0]?.('old');
  responses[1]?.('new');
  await expect.poll(() => observer.getCurrentResult().data).toBe('new');
});

it('reads again what is shown later, although a response arrived meanwhile', async () => {
  const { client, responses, observer, show } = heldQuery();
  const hide = show();
  responses[0]?.('first');
  await expect.poll(() => observer.getCurrentResult().data).toBe('first');
  void observer.refetch();
  hide();
  reread(client, ['runs']);
  responses[1]?.('old');
  await new Promise(setImmediate);
  show();
  expect(responses).toHaveLength(3);
  responses[2]?.('new');
  await expect.poll(() => observer.getCurrentResult().data).toBe('new');
});
