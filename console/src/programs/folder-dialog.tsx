import { createRecord, updateRecord } from '../data/changes.ts';
import { choiceLabel } from '../data/choice-label.ts';
import type { RecordOf } from '../data/collections.ts';
import { sharedLabels } from '../data/shared-labels.ts';
import { undoable } from '../data/undo.ts';
import { boundFields } from '../ui/bound-fields.ts';
import { Dialog } from '../ui/dialog.tsx';
import { useStoredDraft } from '../ui/draft.ts';
import { Select, TextField } from '../ui/fields.tsx';
import { Form } from '../ui/form.tsx';
import { Meanwhile, plainWords } from '../ui/meanwhile.tsx';
import { useSubmission } from '../ui/submission.ts';
import { useGrammar } from './editor-context.ts';
import { mayMove } from './folder-tree.ts';
import { programsText } from './text.ts';

export type Folder = RecordOf<'folders'>;

/** The form is for an existing folder, or for a new one in a parent folder. */
export type FolderForm = { readonly folder: Folder } | { readonly parent: number | null };

/** A picker of a folder; 0: none. */
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
      name="parent_id"
      value={value}
      choices={[{ value: 0, label: text.noFolder }, ...folders.map(({ id, name }) => ({ value: id, label: name }))]}
      onChange={onChange}
    />
  );
}

/** Creates a folder, or changes its name, color and place. */
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
  const opened = 'folder' in form ? form.folder : null;
  const folder = opened && (folders.find(({ id }) => id === opened.id) ?? opened);
  const within = (folder ? folder.parent_id : 'parent' in form && form.parent) || 0;
  const before = { name: folder?.name ?? '', color: folder?.color ?? 'gray', parent_id: within };
  const draft = useStoredDraft(`folder ${folder?.id ?? `new in ${within}`}`, before);
  const { name, parent_id } = draft.value;
  const submission = useSubmission(draft.value);
  const field = boundFields(draft.value, draft.set, submission.problems);
  const close = (): void => {
    draft.end();
    onClose();
  };
  const save = async (): Promise<void> => {
    const shown = { ...draft.value, parent_id: parent_id === 0 ? null : parent_id };
    const isDone = await submission.run(() =>
      folder
        ? undoable(text.folderChanged(name), (label) =>
            updateRecord('folders', folder.id, draft.changes, { label, shown }),
          )
        : undoable(text.created(name), (label) => createRecord('folders', draft.value, { label, shown })),
    );
    if (isDone) close();
  };
  return (
    <Dialog title={folder ? text.editFolder : text.newFolder} isOpen onClose={close}>
      <Form
        onSubmit={save}
        submit={text.save}
        submission={submission}
        fields={['name', 'color']}
        isChanged={draft.isChanged}
      >
        <Meanwhile
          draft={draft}
          submission={submission}
          fields={{
            name: [sharedLabels().name, plainWords],
            color: [sharedLabels().color, (value) => choiceLabel('color', value) ?? null],
            parent_id: [text.folder, (parent) => folders.find(({ id }) => id === parent)?.name ?? text.noFolder],
          }}
        >
          <TextField label={sharedLabels().name} {...field('name')} maxLength={40} isRequired autoFocus />
          <Select
            label={sharedLabels().color}
            {...field('color')}
            choices={grammar
              .list('Color')
              .map((each) => ({ value: String(each), label: choiceLabel('color', each) ?? String(each) }))}
          />
          <FolderSelect
            value={parent_id}
            onChange={(next) => draft.set({ ...draft.value, parent_id: next })}
            folders={folders.filter(({ id }) => !folder || mayMove(folders, folder.id, id))}
          />
        </Meanwhile>
      </Form>
    </Dialog>
  );
}
