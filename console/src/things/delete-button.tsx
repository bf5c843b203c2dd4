import { deleteRecords } from '../data/changes.ts';
import type { CollectionName } from '../data/collections.ts';
import { attempt } from '../data/confirmation.ts';
import { nameOf } from '../data/schema-fields.tsx';
import { undoable } from '../data/undo.ts';
import { Button } from '../ui/button.tsx';
import { Trash2 } from '../ui/icons.tsx';
import { thingsText } from './text.ts';

interface DeleteButtonProps {
  readonly collection: CollectionName;
  readonly records: readonly { readonly id: number }[];
  /** What they are: “Tools”. */
  readonly noun: string;
  readonly onDone: () => void;
}

/** Deletes the selected records of a list in one change, which can be undone. */
export function DeleteButton({ collection, records, noun, onDone }: DeleteButtonProps) {
  const text = thingsText();
  const [first, ...others] = records;
  if (!first) return null;
  const sentence = others.length === 0 ? text.deleted(nameOf(first)) : text.deletedMany(noun, records.length);
  const remove = (): Promise<boolean> =>
    attempt(async () => {
      await undoable(sentence, (label) =>
        deleteRecords(
          collection,
          records.map(({ id }) => id),
          { label },
        ),
      );
      onDone();
    });
  return (
    <Button tone="danger" icon={<Trash2 />} onPress={() => void remove()}>
      {text.delete}
    </Button>
  );
}
