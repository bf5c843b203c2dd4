import { showToast } from '../ui/toasts.tsx';
import { api, bodyOf } from './api.ts';
import { newLabel } from './creations.ts';
import { dataText } from './text.ts';

/** Changes that are read at once. */
const pageSize = 200;
/** Changes among the newest of which one's own begin. */
const lookback = 400;

/**
 * Carries out a change and shows `sentence` with a button that takes it back for 10 seconds. `change` gets the label that its
 * requests must be sent with. Rejects with the ApiError of the change.
 */
export async function undoable<T>(sentence: string, change: (label: string) => Promise<T>): Promise<T> {
  const label = newLabel();
  const result = await change(label);
  showToast({ text: sentence, action: { label: dataText().undo, onPress: () => undo(label) } });
  return result;
}

type Entry = Awaited<ReturnType<typeof readHistory>>[number];

const readHistory = (beforeId: number | undefined) =>
  bodyOf(api.GET('/api/history', { params: { query: { limit: pageSize, ...(beforeId && { before_id: beforeId }) } } }));

/** Returns the changes with this label, newest first. */
async function changesOf(label: string): Promise<readonly Entry[]> {
  const own: Entry[] = [];
  for (let read = 0, last: number | undefined; ; ) {
    const entries = await readHistory(last);
    const found = entries.filter((entry) => entry.label === label);
    own.push(...found);
    read += entries.length;
    last = entries.at(-1)?.id;
    const mayContinue = own.length === 0 ? read < lookback : entries.at(-1)?.label === label;
    if (entries.length < pageSize || !mayContinue) return own;
  }
}

/** Takes back what the requests with this label changed; shows the server's words when it refuses. */
async function undo(label: string): Promise<void> {
  try {
    const own = await changesOf(label);
    const [only] = own;
    if (only && own.length === 1)
      await api.POST('/api/history/{id}/revert', { params: { path: { id: only.id } }, body: {} });
    else
      for (const request of new Set(own.map((entry) => entry.request)))
        await api.POST('/api/history/revert', { body: { request } });
  } catch (error) {
    showToast({ text: error instanceof Error ? error.message : String(error), tone: 'problem' });
  }
}
