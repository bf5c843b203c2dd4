import { useState } from 'react';
import { createRecord, updateRecord } from '../data/changes.ts';
import type { RecordOf } from '../data/collections.ts';
import { undoable } from '../data/undo.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Select, TextField } from '../ui/fields.tsx';
import { Form } from '../ui/form.tsx';
import { useSubmission } from '../ui/submission.ts';
import { useGrammar } from './editor-context.ts';
import { mayMove } from './folder-tree.ts';
import type { Color } from './program-draft.ts';
import { programsText } from './text.ts';

export type Folder = RecordOf<'folders'>;

/** What the form is for: a folder that exists, or a new one in another. */
export type FolderForm = { readonly folder: Folder } | { readonly parent: number | null };

/** The choice of a folder; 0: none. */
export function FolderSelect({
  value,
  onChange,
  folders,
}: {
  readonly value: number;
  readonly onChange: (id: number) => void;
  readonly folders: readonly Folder[];
}) {
  const text = programsText();
  return (
    <Select
      label={text.folder}
      value={value}
      choices={[{ value: 0, label: text.noFolder }, ...folders.map(({ id, name }) => ({ value: id, label: name }))]}
      onChange={onChange}
    />
  );
}

/** Makes a folder, or changes its name, color and place. */
export function FolderDialog({
  form,
  folders,
  onClose,
}: {
  readonly form: FolderForm;
  readonly folders: readonly Folder[];
  readonly onClose: () => void;
}) {
  const text = programsText();
  const grammar = useGrammar();
  const submission = useSubmission();
  const folder = 'folder' in form ? form.folder : null;
  const [name, setName] = useState(folder?.name ?? '');
  const [color, setColor] = useState(folder?.color ?? 'gray');
  const [parent, setParent] = useState(folder ? (folder.parent_id ?? 0) : ('parent' in form && form.parent) || 0);
  const save = async (): Promise<void> => {
    const input = { name, color, parent_id: parent };
    const shown = { ...input, parent_id: parent === 0 ? null : parent };
    const isDone = await submission.run(() =>
      folder
        ? undoable(text.folderChanged(name), (label) => updateRecord('folders', folder.id, input, { label, shown }))
        : undoable(text.created(name), (label) => createRecord('folders', input, { label, shown })),
    );
    if (isDone) onClose();
  };
  return (
    <Dialog title={folder ? text.editFolder : text.newFolder} isOpen onClose={onClose}>
      <Form onSubmit={save} submit={text.save} submission={submission} fields={['name', 'color']}>
        <TextField
          label={text.name}
          value={name}
          onChange={setName}
          problem={submission.problems.name}
          maxLength={40}
          isRequired
          autoFocus
        />
        <Select
          label={text.color}
          value={color}
          choices={grammar
            .list('Color')
            .map((each) => ({ value: String(each), label: text.colors[String(each) as Color] }))}
          onChange={setColor}
          problem={submission.problems.color}
        />
        <FolderSelect
          value={parent}
          onChange={setParent}
          folders={folders.filter(({ id }) => !folder || mayMove(folders, folder.id, id))}
        />
      </Form>
    </Dialog>
  );
}
