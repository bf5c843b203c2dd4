import { showToast } from '../ui/toasts.tsx';
import { api, bodyOf } from './api.ts';
import { ApiError, PartialFailure } from './api-error.ts';
import { newLabel } from './creations.ts';
import { dataText } from './text.ts';

/** Changes that are read at once. */
const pageSize = 200;
/** Changes among the newest of which one's own begin. */
const lookback = 400;

/** A change of this tab that was not taken back yet. */
interface Done {
  readonly label: string;
  readonly sentence: string;
  /** Removes the message with its button. */
  readonly hide: () => void;
}

/** So many changes can be taken back one after the other. */
const maxDone = 100;
/** Newest last. */
let done: readonly Done[] = [];

const forget = (label: string): void => {
  done = done.filter((each) => each.label !== label);
};

/**
 * Carries out a change and shows `sentence` with a button that takes it back for 10 seconds. `change` gets the label that its
 * requests must be sent with. Rejects with the ApiError of the change; what was carried out before a PartialFailure can be taken back, too.
 */
export async function undoable<T>(sentence: string, change: (label: string) => Promise<T>): Promise<T> {
  const label = newLabel();
  const text = dataText();
  const offer = (words: string): void => {
    const hide = showToast({
      text: words,
      action: {
        label: text.undo,
        onPress: () => {
          forget(label);
          void undo(label);
        },
      },
    });
    done = [...done, { label, sentence: words, hide }].slice(-maxDone);
  };
  try {
    const result = await change(label);
    offer(sentence);
    return result;
  } catch (error) {
    if (error instanceof PartialFailure) offer(text.partlyDone(error.done, error.all));
    throw error;
  }
}

const conflict = 409;

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

/** Takes back the last change of this tab that {@link undoable} carried out, and says so. */
export async function undoLast(): Promise<void> {
  const last = done.at(-1);
  if (!last) {
    showToast({ text: dataText().nothingToUndo });
    return;
  }
  forget(last.label);
  last.hide();
  if (await undo(last.label)) showToast({ text: dataText().undone(last.sentence) });
}

/**
 * Takes back what the requests with this label changed; shows the server's words when it refuses. `force`: also where records
 * changed since. Returns whether it succeeded.
 */
async function undo(label: string, force = false): Promise<boolean> {
  try {
    const own = await changesOf(label);
    const [only] = own;
    if (only && own.length === 1)
      await api.POST('/api/history/{id}/revert', { params: { path: { id: only.id } }, body: { force } });
    else
      for (const request of new Set(own.map((entry) => entry.request)))
        await api.POST('/api/history/revert', { body: { request, force } });
    return true;
  } catch (error) {
    const isChangedSince = error instanceof ApiError && error.status === conflict && !force;
    showToast({
      text: error instanceof Error ? error.message : String(error),
      tone: 'problem',
      ...(isChangedSince && {
        action: { label: dataText().undoNevertheless, onPress: () => void undo(label, true) },
      }),
    });
    return false;
  }
}
