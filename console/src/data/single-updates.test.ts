import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import { SingleUpdates, singleKey } from './single-updates.ts';

interface Layers {
  readonly plants: boolean;
  readonly weeds: boolean;
}

const queryKey = singleKey('WebAppConfig');

/** A record that is shown, on a server whose reads and updates wait for the test. */
async function shownLayers() {
  let stored: Layers = { plants: true, weeds: true };
  const reads: (() => void)[] = [];
  const client = new QueryClient({
    defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } },
  });
  client.setQueryData<Layers>(queryKey, stored);
  const queryFn = (): Promise<Layers> => {
    const read = stored;
    return new Promise((resolve) => reads.push(() => resolve(read)));
  };
  new QueryObserver(client, { queryKey, queryFn }).subscribe(() => undefined);
  const updates = new SingleUpdates(client);
  return {
    reads,
    reread: () => updates.reread('WebAppConfig'),
    shown: () => client.getQueryData<Layers>(queryKey),
    /** Changes fields; `answer` stores them, `fail` does not. */
    change(update: Partial<Layers>) {
      let [answer, fail] = [(): void => undefined, (): void => undefined];
      const answered = new Promise<{ data: Layers }>((resolve, reject) => {
        answer = () => {
          stored = { ...stored, ...update };
          resolve({ data: stored });
        };
        fail = () => reject(new Error('The server cannot be reached.'));
      });
      return { done: updates.update<Layers>({ queryKey }, update, () => answered), answer, fail };
    },
  };
}

it('shows a change immediately, whatever was read before it', async () => {
  const { change, shown, reads, reread } = await shownLayers();
  reread();
  await expect.poll(() => reads.length).toBe(1);
  const { done, answer } = change({ plants: false });
  await expect.poll(shown).toEqual({ plants: false, weeds: true });
  reads[0]?.();
  answer();
  await done;
  expect(shown()).toEqual({ plants: false, weeds: true });
  expect(reads).toHaveLength(1);
});

it('keeps later changes when an earlier one is answered and announced, and reads the record after the last answer', async () => {
  const { change, shown, reads, reread } = await shownLayers();
  const [plants, weeds] = [change({ plants: false }), change({ weeds: false })];
  plants.answer();
  await plants.done;
  reread();
  expect(shown()).toEqual({ plants: false, weeds: false });
  expect(reads).toHaveLength(0);
  weeds.answer();
  await weeds.done;
  await expect.poll(() => reads.length).toBe(1);
  reads[0]?.();
  await expect.poll(shown).toEqual({ plants: false, weeds: false });
});

it('takes back only rejected changes, and reads the record', async () => {
  const { change, shown, reads } = await shownLayers();
  const [plants, weeds] = [change({ plants: false }), change({ weeds: false })];
  plants.fail();
  await expect(plants.done).rejects.toThrow('The server cannot be reached.');
  expect(shown()).toEqual({ plants: true, weeds: false });
  weeds.answer();
  await weeds.done;
  await expect.poll(() => reads.length).toBe(1);
});
