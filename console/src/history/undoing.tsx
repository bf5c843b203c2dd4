import { type ReactNode, useState } from 'react';
import { api, bodyOf } from '../data/api.ts';
import { ApiError } from '../data/api-error.ts';
import { formatMoment, useZone } from '../data/garden-time.ts';
import { Confirmation } from '../ui/dialog.tsx';
import { showProblem, showToast } from '../ui/toasts.tsx';
import { type Entry, readEntries } from './entries.ts';
import { actorName, entrySentence } from './sentences.ts';
import { historyText } from './text.ts';

/** The changes to revert: one, all of a request, or all since a time. */
export type Undo = { readonly entry: Entry } | { readonly request: string } | { readonly since: string };

interface Conflict {
  readonly undo: Undo;
  /** The server's message. */
  readonly words: string;
  /** Later changes, newest first; empty if they are not known. */
  readonly later: readonly Entry[];
}

const conflict = 409;
/** Later changes that are named. */
const maxLater = 5;

const send = (undo: Undo, force: boolean) =>
  bodyOf(
    'entry' in undo
      ? api.POST('/api/history/{id}/revert', { params: { path: { id: undo.entry.id } }, body: { force } })
      : api.POST('/api/history/revert', { body: { ...undo, force } }),
  );

/** Reverts changes, and asks whether to force it if records changed since. */
export function useUndoing(): { readonly undo: (what: Undo) => Promise<void>; readonly question: ReactNode } {
  const text = historyText();
  const zone = useZone();
  const [asked, setAsked] = useState<Conflict | null>(null);

  const carryOut = async (what: Undo, force = false): Promise<void> => {
    try {
      const { reverted, request } = await send(what, force);
      showToast({
        text: text.undone(reverted),
        action: { label: text.undoAgain, onPress: () => void carryOut({ request }) },
      });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== conflict || force) return showProblem(error);
      setAsked({ undo: what, words: error.message, later: await laterThan(what) });
    }
  };

  return {
    undo: carryOut,
    question: (
      <Confirmation
        title={text.changedSince}
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        confirm={text.force}
        onConfirm={() => void (asked && carryOut(asked.undo, true))}
      >
        <p>{asked?.words}</p>
        {asked && asked.later.length > 0 ? (
          <div>
            <p>{text.laterChanges}</p>
            <ul>
              {asked.later.map((entry) => (
                <li key={entry.id}>
                  {entrySentence(entry)} · {actorName(entry.actor)} · {formatMoment(entry.at, zone)}
                </li>
              ))}
            </ul>
          </div>
        ) : null}
        <p>{text.changedSinceHint}</p>
      </Confirmation>
    ),
  };
}

/** Returns the changes of a record after one, newest first. */
async function laterThan(what: Undo): Promise<readonly Entry[]> {
  if (!('entry' in what)) return [];
  const { id, resource, record_id } = what.entry;
  const newest = await readEntries({ resource, record_id, limit: maxLater }).catch(() => []);
  return newest.filter((entry) => entry.id > id);
}
