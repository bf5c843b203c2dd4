import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { createRecord, deleteRecords, updateRecord } from '../data/changes.ts';
import { choiceLabel } from '../data/choice-label.ts';
import { type RecordOf, useRecords } from '../data/collections.ts';
import { attempt } from '../data/confirmation.ts';
import { DeleteButton } from '../data/delete-button.tsx';
import { formatClock, useZone } from '../data/garden-time.ts';
import { NextRuns } from '../data/next-runs.tsx';
import { ParameterFields, parameterValues, problemKey, requireValues } from '../data/parameter-field.tsx';
import { applicationsOf, givenValues, type ParameterValues, parametersOf } from '../data/parameters.ts';
import { useFields } from '../data/schemas.ts';
import { sharedLabels } from '../data/shared-labels.ts';
import { useMayWrite } from '../data/singles.ts';
import { dataText } from '../data/text.ts';
import { undoable } from '../data/undo.ts';
import { dayAt } from '../data/zoned-days.ts';
import { boundFields } from '../ui/bound-fields.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { ComboBox } from '../ui/combo-box.tsx';
import { useStoredDraft } from '../ui/draft.ts';
import { FieldNote } from '../ui/field-notes.tsx';
import { NumberField, Select, TextField } from '../ui/fields.tsx';
import { Form } from '../ui/form.tsx';
import { Plus, Sprout, Trash2 } from '../ui/icons.tsx';
import { ListDetail } from '../ui/list-detail.tsx';
import { Listing } from '../ui/listing.tsx';
import { Meanwhile, plainWords } from '../ui/meanwhile.tsx';
import { byName } from '../ui/natural-order.ts';
import { Card, EmptyState, Missing, Page } from '../ui/page.tsx';
import { useSubmission } from '../ui/submission.ts';
import { type PlanItem, planDays, repeatedItems } from './regimen-plan.ts';
import styles from './schedule.module.css';
import { scheduleText } from './text.ts';

const regimensRoute = getRouteApi('/garden/regimens');

/** Plans that run programs on days after their start. */
export function RegimensPage() {
  const { regimens: title, plan: text, back } = scheduleText();
  const { id, sort } = regimensRoute.useSearch();
  const kept = sort ? { sort } : {};
  const navigate = useNavigate({ from: '/regimens' });
  const mayWrite = useMayWrite();
  const regimens = useRecords('regimens');
  const chosen = regimens.find((each) => each.id === id);
  const add = async (): Promise<void> => {
    const names = new Set(regimens.map(({ name }) => name));
    let name = text.newName;
    for (let n = 2; names.has(name); n++) name = `${text.newName} ${n}`;
    await attempt(async () => {
      const made = await undoable(text.created(name), (label) =>
        createRecord('regimens', { name, color: 'green', regimen_items: [], body: [] }, { label }),
      );
      await navigate({ search: { id: made.id, ...kept } });
    });
  };
  const button = mayWrite ? (
    <Button tone="primary" icon={<Plus />} onPress={() => void add()}>
      {text.add}
    </Button>
  ) : null;
  return (
    <Page title={title} actions={regimens.length > 0 ? button : null}>
      <ListDetail
        list={
          regimens.length === 0 ? (
            <EmptyState icon={<Sprout size={40} aria-hidden="true" />} title={text.none} action={button}>
              {text.about}
            </EmptyState>
          ) : (
            <Listing
              label={title}
              count={dataText().entries(regimens.length)}
              rows={regimens}
              keyOf={(each) => each.id}
              nameOf={({ name }) => name}
              columns={[
                {
                  id: 'name',
                  label: sharedLabels().name,
                  value: ({ name }) => name,
                  cell: (each) => (
                    <Link
                      to="/regimens"
                      search={{ id: each.id, ...kept }}
                      aria-current={each.id === id ? 'true' : undefined}
                    >
                      {each.name}
                    </Link>
                  ),
                },
                {
                  id: 'runs',
                  label: text.runs,
                  value: (each) => each.regimen_items.length,
                  cell: (each) => text.runCount(each.regimen_items.length),
                },
              ]}
              sort={sort}
              onSort={(next) => void navigate({ search: (before) => ({ ...before, sort: next }), replace: true })}
              current={id}
              actions={
                mayWrite
                  ? (selected, clear) => <DeleteButton collection="regimens" records={selected} onDone={clear} />
                  : undefined
              }
            />
          )
        }
        detail={
          chosen ? (
            <Card
              title={chosen.name}
              actions={
                <Link to="/regimens" search={kept}>
                  {back}
                </Link>
              }
            >
              <RegimenForm key={chosen.id} regimen={chosen} onDeleted={() => void navigate({ search: kept })} />
            </Card>
          ) : id === undefined ? null : (
            <Missing />
          )
        }
      />
    </Page>
  );
}

type Regimen = RecordOf<'regimens'>;

interface Draft {
  readonly name: string;
  readonly color: Regimen['color'];
  readonly items: readonly PlanItem[];
  /** Of the variables of the programs. */
  readonly given: ParameterValues;
}

const draftOf = ({ name, color, regimen_items, body }: Regimen): Draft => ({
  name,
  color,
  items: regimen_items.map(({ sequence_id, time_offset }) => ({ sequence_id, time_offset })),
  given: givenValues(body),
});

/** A regimen as a list of days. */
function RegimenForm({ regimen, onDeleted }: { readonly regimen: Regimen; readonly onDeleted: () => void }) {
  const { plan: text, ...words } = scheduleText();
  const mayWrite = useMayWrite();
  const zone = useZone();
  const sequences = useRecords('sequences');
  const isScheduled = useRecords('farm_events').some(
    ({ executable_type, executable_id }) => executable_type === 'Regimen' && executable_id === regimen.id,
  );
  const colorField = useFields('RegimenUpdate').find(({ name }) => name === 'color');
  const colors = (colorField?.enum ?? []) as readonly NonNullable<Regimen['color']>[];
  const editing = useStoredDraft<Draft>(`regimen ${regimen.id}`, draftOf(regimen));
  const { value: draft, isChanged } = editing;
  const set = (changes: Partial<Draft>): void => editing.set({ ...draft, ...changes });
  const nameOf = (id: number): string => sequences.find((each) => each.id === id)?.name ?? text.unknownProgram;
  const { given = {} } = draft;
  // Parameters that the regimen declares itself get their values from its events.
  const [used, declared] = [new Set(draft.items.map((each) => each.sequence_id)), parametersOf(regimen)];
  const parameters = sequences
    .filter(({ id }) => used.has(id))
    .flatMap(parametersOf)
    .filter(({ args }, index, all) => {
      const isSame = (each: (typeof all)[number]): boolean => each.args.label === args.label;
      return all.findIndex(isSame) === index && !declared.some(isSame);
    });
  const submission = useSubmission({ ...draft, ...parameterValues(parameters, given) });
  const field = boundFields(draft, editing.set, submission.problems);
  const save = async (): Promise<void> => {
    await submission.run(async () => {
      requireValues(parameters, given);
      const others = regimen.body.filter(({ kind }) => kind !== 'parameter_application');
      const { items, given: changed, ...update } = editing.changes;
      const plan = {
        ...(items && { regimen_items: [...items] }),
        // The programs of the plan determine the values that it needs.
        ...((items || changed) && { body: [...others, ...applicationsOf(parameters, given)] }),
      };
      await undoable(text.saved(draft.name), (label) =>
        updateRecord('regimens', regimen.id, { ...update, ...plan }, { label, shown: {} }),
      );
      editing.end();
    });
  };
  const remove = () =>
    attempt(async () => {
      await undoable(text.deleted(regimen.name), (label) => deleteRecords('regimens', [regimen.id], { label }));
      editing.end();
      onDeleted();
    });
  return (
    <Form
      onSubmit={save}
      submit={mayWrite ? words.save : undefined}
      isReadOnly={!mayWrite}
      submission={submission}
      fields={['name', 'color', ...parameters.map(problemKey)]}
      cancel={words.cancel}
      isChanged={isChanged}
      onCancel={isChanged ? editing.end : undefined}
      actions={
        mayWrite ? (
          <Button tone="danger" onPress={() => void remove()}>
            {words.delete}
          </Button>
        ) : null
      }
    >
      <Meanwhile
        draft={editing}
        submission={submission}
        fields={{
          name: [sharedLabels().name, plainWords],
          color: [sharedLabels().color, (color) => color && (choiceLabel('color', color) ?? color)],
          items: [text.items, () => null],
          given: [text.values, () => null],
        }}
      >
        <TextField label={sharedLabels().name} {...field('name')} />
        <Select
          label={sharedLabels().color}
          {...field('color')}
          choices={colors.map((value) => ({ value, label: choiceLabel('color', value) ?? value }))}
        />
        <Link to="/schedule" search={{ new: dayAt(new Date().toISOString(), zone), regimen: regimen.id }}>
          {text.schedule}
        </Link>
        <NextRuns
          isWanted={({ regimen_id }) => regimen_id === regimen.id}
          isScheduled={isScheduled}
          nameOf={({ sequence_name }) => sequence_name}
        />
        {isChanged ? <p role="status">{text.unsaved}</p> : null}
        <h3>{text.items}</h3>
        <FieldNote name="items" />
        {draft.items.length === 0 ? <p>{text.empty}</p> : null}
        <ol className={styles.plan}>
          {planDays(draft.items).map(({ day, items }) => (
            <li key={day}>
              <strong>{text.day(day)}</strong>
              <ul>
                {items.map((item) => (
                  <li key={`${item.sequence_id} ${item.time_offset}`} className={styles.planItem}>
                    <span className={styles.clock}>{formatClock(item.time_offset, 'UTC')}</span>
                    <span className={styles.name}>{nameOf(item.sequence_id)}</span>
                    {mayWrite ? (
                      <IconButton
                        label={text.remove(nameOf(item.sequence_id))}
                        icon={<Trash2 />}
                        onPress={() => set({ items: draft.items.filter((each) => each !== item) })}
                      />
                    ) : null}
                  </li>
                ))}
              </ul>
            </li>
          ))}
        </ol>
        {parameters.length > 0 ? <h3>{text.values}</h3> : null}
        <FieldNote name="given" />
        <ParameterFields
          parameters={parameters}
          values={given}
          onChange={(next) => set({ given: next })}
          problems={submission.problems}
        />
        {mayWrite ? <NewItems onAdd={(items) => set({ items: [...draft.items, ...items] })} /> : null}
      </Meanwhile>
    </Form>
  );
}

function NewItems({ onAdd }: { readonly onAdd: (items: readonly PlanItem[]) => void }) {
  const { plan: text } = scheduleText();
  const sequences = useRecords('sequences');
  const [sequence, setSequence] = useState<number | null>(null);
  const [day, setDay] = useState(1);
  const [clock, setClock] = useState('07:30');
  const [every, setEvery] = useState(1);
  const [last, setLast] = useState(Number.NaN);
  return (
    <fieldset className={styles.newItems}>
      <legend>{text.addItem}</legend>
      <ComboBox
        label={text.program}
        value={sequence}
        choices={byName(sequences).map(({ id, name }) => ({ value: id, label: name }))}
        onChange={setSequence}
      />
      <div className={styles.pair}>
        <NumberField
          label={text.dayField}
          value={day}
          minValue={1}
          onChange={(next) => setDay(Number.isNaN(next) ? 1 : Math.round(next))}
        />
        <TextField label={text.time} type="time" value={clock} onChange={setClock} />
        <NumberField
          label={text.everyDays}
          value={every}
          minValue={1}
          onChange={(next) => setEvery(Number.isNaN(next) ? 1 : Math.round(next))}
        />
        <NumberField label={text.repeatUntil} value={last} minValue={1} onChange={setLast} />
      </div>
      <Button
        isDisabled={sequence === null || clock === ''}
        onPress={() => {
          if (sequence === null) return;
          onAdd(repeatedItems(sequence, clock, day, every, Number.isNaN(last) ? day : last));
          // The next program is not repeated unless requested.
          setEvery(1);
          setLast(Number.NaN);
        }}
      >
        {text.addItem}
      </Button>
    </fieldset>
  );
}
