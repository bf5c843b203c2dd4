import { useState } from 'react';
import { createRecord, deleteRecords, updateRecord } from '../data/changes.ts';
import type { InputOf, RecordOf, UpdateOf } from '../data/collections.ts';
import { hasWidget, nameOf, SchemaFields, type Values, wordedFields } from '../data/schema-fields.tsx';
import { useFields } from '../data/schemas.ts';
import { useMayWrite } from '../data/singles.ts';
import { undoable } from '../data/undo.ts';
import { Button } from '../ui/button.tsx';
import { useStoredDraft } from '../ui/draft.ts';
import { Form } from '../ui/form.tsx';
import { Meanwhile } from '../ui/meanwhile.tsx';
import { useSubmission } from '../ui/submission.ts';
import { showProblem } from '../ui/toasts.tsx';
import { CurveFields, firstCurve } from './curve-fields.tsx';
import { GroupFields } from './group-fields.tsx';
import type { kinds } from './kinds.ts';
import { thingsText } from './text.ts';

type ListedKind = (typeof kinds)[number];
type Thing = RecordOf<ListedKind['collection']>;

export interface RecordFormProps {
  readonly kind: ListedKind;
  /** Null: a new one. */
  readonly record: Thing | null;
  /** Called with the id of the saved record, or null after a deletion or cancellation. */
  readonly onDone: (id: number | null) => void;
}

/** Whether a field has a meaning for a thing with these values. */
function isShown(name: string, { type, mode }: Values): boolean {
  // The offsets of the tip replace it.
  if (name === 'seeder_tip_z_offset') return type === 'seeder';
  return !name.endsWith('_reading') || mode === 1;
}

/** The fields of a thing, from the schemas of the API. Input is kept as a draft until it is saved. */
export function RecordForm({ kind, record, onDone }: RecordFormProps) {
  const text = thingsText();
  const { collection, input, update } = kind;
  const mayChange = useMayWrite();
  const mayWrite = mayChange && (record === null || update !== null);
  const allFields = useFields(record ? (update ?? input) : input);
  const [version, setVersion] = useState(0);
  const initial: Values = collection === 'curves' ? { data: firstCurve } : {};
  const draft = useStoredDraft<Values>(`${collection} ${record?.id ?? 'new'}`, { ...initial, ...record });
  const { value: values, changes, isChanged } = draft;
  const fields = allFields.filter(({ name }) => isShown(name, values));
  const submission = useSubmission({ ...Object.fromEntries(fields.map(({ name }) => [name, null])), ...values });

  const save = async (): Promise<void> => {
    let id: number | null = null;
    const isDone = await submission.run(async () => {
      const sentence = (record ? text.saved : text.created)(nameOf(values));
      const saved = await undoable(sentence, (label) =>
        record
          ? updateRecord(collection, record.id, changes as UpdateOf<typeof collection>, { label })
          : createRecord(collection, values as InputOf<typeof collection>, { label }),
      );
      id = saved.id;
    });
    if (!isDone) return;
    draft.end();
    setVersion(version + 1);
    onDone(id);
  };
  const remove = async (): Promise<void> => {
    if (!record) return;
    try {
      await undoable(text.deleted(nameOf(record)), (label) => deleteRecords(collection, [record.id], { label }));
      draft.end();
      onDone(null);
    } catch (error) {
      showProblem(error);
    }
  };

  const Special = collection === 'point_groups' ? GroupFields : collection === 'curves' ? CurveFields : null;
  return (
    <Form
      onSubmit={save}
      submit={mayWrite ? (record ? text.save : text.add) : undefined}
      isReadOnly={!mayWrite}
      submission={submission}
      fields={fields.filter(hasWidget).map(({ name }) => name)}
      isDisabled={record !== null && !isChanged}
      isChanged={isChanged}
      onCancel={
        mayWrite && (isChanged || !record)
          ? () => {
              draft.end();
              if (!record) onDone(null);
            }
          : undefined
      }
      actions={
        record && mayChange ? (
          <Button tone="danger" onPress={() => void remove()}>
            {text.delete}
          </Button>
        ) : null
      }
    >
      <Meanwhile draft={draft} submission={submission} fields={wordedFields(fields)}>
        <SchemaFields fields={fields} values={values} onChange={draft.set} problems={submission.problems} />
        {Special ? (
          <Special
            key={version}
            values={values}
            onChange={(next) => draft.set({ ...values, ...next })}
            isDisabled={!mayWrite}
          />
        ) : null}
      </Meanwhile>
    </Form>
  );
}
