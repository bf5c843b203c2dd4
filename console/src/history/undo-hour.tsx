import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Confirmation } from '../ui/dialog.tsx';
import { History } from '../ui/icons.tsx';
import { showProblem, showToast } from '../ui/toasts.tsx';
import { readEntries } from './entries.ts';
import { actorName } from './sentences.ts';
import { historyText } from './text.ts';
import type { Undo } from './undoing.tsx';

const hour = 3_600_000;
/** Changes that are counted. */
const maxCounted = 200;

interface Span {
  readonly since: string;
  readonly count: number;
  readonly who: readonly string[];
  /** Photos that were taken in that hour: undoing deletes them permanently. */
  readonly photos: number;
}

/** Reverts all changes of the last hour, after a confirmation that shows their number. */
export function UndoHour({ onUndo }: { readonly onUndo: (what: Undo) => void }) {
  const text = historyText();
  const [asked, setAsked] = useState<Span | null>(null);
  const ask = async (): Promise<void> => {
    const since = new Date(Date.now() - hour).toISOString();
    try {
      const listed = await readEntries({ from: since, limit: maxCounted });
      const entries = listed.filter(({ action }) => action !== 'kept');
      if (entries.length === 0) return void showToast({ text: text.nothingToUndo });
      setAsked({
        since,
        count: entries.length,
        who: [...new Set(entries.map(({ actor }) => actorName(actor)))],
        photos: entries.filter(({ resource, action }) => resource === 'Image' && action === 'created').length,
      });
    } catch (error) {
      showProblem(error);
    }
  };
  return (
    <>
      <Button icon={<History />} onPress={() => void ask()}>
        {text.undoHour}
      </Button>
      <Confirmation
        title={text.undoHour}
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        confirm={text.undoHour}
        onConfirm={() => asked && onUndo({ since: asked.since })}
      >
        {asked ? (
          <>
            <p>{text.undoHourQuestion(text.changes(asked.count, asked.count >= maxCounted), asked.who.join(', '))}</p>
            {asked.photos > 0 ? <p>{text.undoHourPhotos}</p> : null}
          </>
        ) : null}
      </Confirmation>
    </>
  );
}
