import { errorMessage, WordedError } from '../ui/error-message.ts';
import { showToast, type ToastLink } from '../ui/toasts.tsx';
import { api, bodyOf } from './api.ts';
import { ApiError } from './api-error.ts';
import { newLabel } from './creations.ts';
import { getSession, isSameGarden, onSession } from './session.ts';
import { dataText } from './text.ts';

/** Changes per read. */
const pageSize = 200;
/** Number of newest changes to search for the user's own. */
const lookback = 400;

/** Undoes changes that the history does not have. */
type Back = () => Promise<unknown>;

/** A change of this tab that was not undone yet. */
interface Done {
  readonly label: string;
  readonly sentence: string;
  readonly back: Back | undefined;
  /** Removes the message with its button. */
  readonly hide: () => void;
}

/** Maximum number of changes to undo. */
const maxDone = 100;
/** Newest last. */
let done: readonly Done[] = [];

let user = getSession();

// Another user may sign in to this tab after the session has ended.
onSession(() => {
  const session = getSession();
  if (!session) return;
  if (!isSameGarden(user, session)) {
    for (const { hide } of done) hide();
    done = [];
  }
  user = session;
});

const removeDone = (label: string): void => {
  done = done.filter((each) => each.label !== label);
};

/**
 * Runs a change, and shows `sentence` with an undo button for 10 seconds. `change` gets the label that its
 * requests must be sent with. `link` leads to the result, `back` undoes changes that the history does not have. Rejects with the
 * ApiError of the change.
 */
export async function undoable<T>(
  sentence: string,
  change: (label: string) => Promise<T>,
  link?: (result: T) => ToastLink,
  back?: Back,
): Promise<T> {
  const label = newLabel();
  const result = await change(label);
  const hide = showToast({
    text: sentence,
    link: link?.(result),
    action: {
      label: dataText().undo,
      onPress: () => {
        removeDone(label);
        void undo(label, back);
      },
    },
  });
  done = [...done, { label, sentence, back, hide }].slice(-maxDone);
  return result;
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

/** Undoes the last change of this tab that {@link undoable} ran, and shows a message. */
export async function undoLast(): Promise<void> {
  const last = done.at(-1);
  if (!last) {
    showToast({ text: dataText().nothingToUndo });
    return;
  }
  removeDone(last.label);
  last.hide();
  if (await undo(last.label, last.back)) showToast({ text: dataText().undone(last.sentence) });
}

/**
 * Reverts the changes of requests with this label; shows the server's message if it refuses. `force`: also where records
 * changed since. Returns whether it succeeded.
 */
async function undo(label: string, back?: Back, force = false): Promise<boolean> {
  try {
    const own = await changesOf(label);
    if (own.length === 0 && !back) throw new WordedError(dataText().notInHistory);
    const [only] = own;
    if (only && own.length === 1)
      await api.POST('/api/history/{id}/revert', { params: { path: { id: only.id } }, body: { force } });
    else
      for (const request of new Set(own.map((entry) => entry.request)))
        await api.POST('/api/history/revert', { body: { request, force } });
    await back?.();
    return true;
  } catch (error) {
    const isChangedSince = error instanceof ApiError && error.status === conflict && !force;
    showToast({
      text: errorMessage(error),
      tone: 'problem',
      ...(isChangedSince && {
        action: { label: dataText().undoNevertheless, onPress: () => void undo(label, back, true) },
      }),
    });
    return false;
  }
}
