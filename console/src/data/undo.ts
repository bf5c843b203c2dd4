import { showToast } from '../ui/toasts.tsx';
import { api, bodyOf } from './api.ts';
import { dataText } from './text.ts';

/** Newest changes among which one's own is looked for. */
const lookback = 200;

/**
 * Carries out a change and shows `sentence` with a button that takes it back for 10 seconds. `change` gets the label that its
 * requests must be sent with. Rejects with the ApiError of the change.
 */
export async function undoable<T>(sentence: string, change: (label: string) => Promise<T>): Promise<T> {
  const label = crypto.randomUUID?.() ?? `console-${Date.now()}-${Math.random()}`;
  const result = await change(label);
  showToast({ text: sentence, action: { label: dataText().undo, onPress: () => undo(label) } });
  return result;
}

/** Takes back what the requests with this label changed; shows the server's words when it refuses. */
async function undo(label: string): Promise<void> {
  try {
    const entries = await bodyOf(api.GET('/api/history', { params: { query: { limit: lookback } } }));
    const own = entries.filter((entry) => entry.label === label);
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
