import { useState } from 'react';
import { createRecord, deleteRecords, updateRecord } from '../data/changes.ts';
import type { InputOf, RecordOf, UpdateOf } from '../data/collections.ts';
import { hasWidget, nameOf, SchemaFields, type Values } from '../data/schema-fields.tsx';
import { useFields } from '../data/schemas.ts';
import { useMayWrite } from '../data/singles.ts';
import { undoable } from '../data/undo.ts';
import { Button } from '../ui/button.tsx';
import { useDraft } from '../ui/draft.ts';
import { Form } from '../ui/form.tsx';
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

/** The fields of a thing, from the schemas of the API. Input is kept as a draft until it is saved. */
export function RecordForm({ kind, record, onDone }: RecordFormProps) {
  const text = thingsText();
  const { collection, input, update } = kind;
  const mayChange = useMayWrite();
  const mayWrite = mayChange && (record === null || update !== null);
  const fields = useFields(record ? (update ?? input) : input);
  const [changes, setChanges, endDraft] = useDraft<Values>(`${collection} ${record?.id ?? 'new'}`, {});
  const submission = useSubmission();
  const [version, setVersion] = useState(0);
  const initial: Values = collection === 'curves' ? { data: firstCurve } : {};
  const values: Values = { ...initial, ...record, ...changes };

  const save = async (): Promise<void> => {
    let id: number | null = null;
    const isDone = await submission.run(async () => {
      const sentence = (record ? text.saved : text.created)(nameOf(values));
      const saved = await undoable(sentence, (label) =>
        record
          ? updateRecord(collection, record.id, changes as UpdateOf<typeof collection>, { label })
          : createRecord(collection, { ...initial, ...changes } as InputOf<typeof collection>, { label }),
      );
      id = saved.id;
    });
    if (!isDone) return;
    endDraft({});
    setVersion(version + 1);
    onDone(id);
  };
  const remove = async (): Promise<void> => {
    if (!record) return;
    try {
      await undoable(text.deleted(nameOf(record)), (label) => deleteRecords(collection, [record.id], { label }));
      endDraft();
      onDone(null);
    } catch (error) {
      showProblem(error);
    }
  };

  const isChanged = Object.keys(changes).length > 0;
  const Special = collection === 'point_groups' ? GroupFields : collection === 'curves' ? CurveFields : null;
  return (
    <Form
      onSubmit={save}
      submit={mayWrite ? (record ? text.save : text.add) : undefined}
      submission={submission}
      fields={fields.filter(hasWidget).map(({ name }) => name)}
      isDisabled={record !== null && !isChanged}
      isChanged={isChanged}
      onCancel={
        mayWrite && (isChanged || !record)
          ? () => {
              endDraft({});
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
      <SchemaFields
        list={collection}
        fields={fields}
        values={values}
        onChange={(next) => setChanges(changed(record, next))}
        problems={submission.problems}
        isDisabled={!mayWrite}
      />
      {Special ? (
        <Special
          key={version}
          values={values}
          onChange={(next) => setChanges({ ...changes, ...next })}
          isDisabled={!mayWrite}
        />
      ) : null}
    </Form>
  );
}

/** The fields that differ from the record. */
function changed(record: Thing | null, values: Values): Values {
  const before = (record ?? {}) as Values;
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== before[name]));
}
