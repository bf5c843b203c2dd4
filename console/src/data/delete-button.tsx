import { Button } from '../ui/button.tsx';
import { Trash2 } from '../ui/icons.tsx';
import { deleteRecords } from './changes.ts';
import type { CollectionName } from './collections.ts';
import { attempt } from './confirmation.ts';
import { listTitle } from './resource-names.ts';
import { nameOf } from './schema-fields.tsx';
import { dataText } from './text.ts';
import { undoable } from './undo.ts';

interface DeleteButtonProps {
  readonly collection: CollectionName;
  readonly records: readonly { readonly id: number }[];
  /** What they are, if that is not the name of the list: “Weeds”. */
  readonly noun?: string;
  readonly onDone: () => void;
}

/** Deletes the selected records of a list in one change, which can be undone. */
export function DeleteButton({ collection, records, noun = listTitle(collection), onDone }: DeleteButtonProps) {
  const text = dataText();
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
