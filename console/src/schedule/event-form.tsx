import { parseDate, toCalendarDate } from '@internationalized/date';
import { createRecord, deleteRecords, updateRecord } from '../data/changes.ts';
import { type RecordOf, useRecords } from '../data/collections.ts';
import { attempt } from '../data/confirmation.ts';
import { clockOf, formatDay, formatMoment, formatTyped } from '../data/garden-time.ts';
import { ParameterFields, parameterValues, problemKey, requireValues } from '../data/parameter-field.tsx';
import { applicationsOf, givenValues, type ParameterValues, parametersOf } from '../data/parameters.ts';
import { useMayWrite } from '../data/singles.ts';
import { undoable } from '../data/undo.ts';
import { momentAt, zoned } from '../data/zoned-days.ts';
import { boundFields } from '../ui/bound-fields.ts';
import { Button } from '../ui/button.tsx';
import { ComboBox } from '../ui/combo-box.tsx';
import { useStoredDraft } from '../ui/draft.ts';
import { NumberField, Select, TextField } from '../ui/fields.tsx';
import { Form } from '../ui/form.tsx';
import { Meanwhile, plainWords, type WordedFields } from '../ui/meanwhile.tsx';
import { byName } from '../ui/natural-order.ts';
import { Notice } from '../ui/page.tsx';
import { FieldProblems, useSubmission } from '../ui/submission.ts';
import { uiText } from '../ui/text.ts';
import styles from './schedule.module.css';
import { scheduleText } from './text.ts';

type FarmEvent = RecordOf<'farm_events'>;
type Unit = FarmEvent['time_unit'];

const units: readonly Unit[] = ['never', 'minutely', 'hourly', 'daily', 'weekly', 'monthly', 'yearly'];
/** How long a new event repeats, in days. */
const usualLength = 90;

/** The program with its values: each program has its own. */
interface Executed {
  /** `Sequence 5`; empty: nothing yet. */
  readonly what: string;
  readonly given: ParameterValues;
}

interface Values {
  readonly runs: Executed;
  readonly date: string;
  readonly time: string;
  readonly unit: Unit;
  readonly repeat: number;
  readonly untilDate: string;
  readonly untilTime: string;
}

export interface EventFormProps {
  /** Null: a new one. */
  readonly event: FarmEvent | null;
  /** The day of a new one: `2026-11-23`. */
  readonly day: string;
  /** The program of a new event: `Sequence 5`. */
  readonly what?: string;
  readonly zone: string;
  readonly onDone: () => Promise<void>;
}

function initialValues({ event, day, what = '', zone }: EventFormProps): Values {
  if (!event?.start_time) {
    const end = zoned(`${day}T12:00:00.000Z`, 'UTC').add({ days: usualLength });
    const untilDate = toCalendarDate(end).toString();
    const runs = { what, given: {} };
    return { runs, date: day, time: '07:30', unit: 'daily', repeat: 1, untilDate, untilTime: '23:59' };
  }
  const start = zoned(event.start_time, zone);
  const end = event.end_time ? zoned(event.end_time, zone) : start;
  return {
    runs: { what: `${event.executable_type} ${event.executable_id}`, given: givenValues(event.body) },
    date: toCalendarDate(start).toString(),
    time: clockOf(start),
    unit: event.time_unit,
    repeat: event.repeat,
    untilDate: toCalendarDate(end).toString(),
    untilTime: clockOf(end),
  };
}

/** Returns the times of an event. Throws the problems of fields. */
function timesOf(start: string | null, end: string | null, unit: Unit): { start_time: string; end_time?: string } {
  const text = scheduleText();
  if (!start) throw new FieldProblems({ start_time: text.chooseTime });
  if (unit === 'never') return { start_time: start };
  if (!end) throw new FieldProblems({ end_time: text.chooseTime });
  if (end <= start) throw new FieldProblems({ end_time: text.endsBefore });
  return { start_time: start, end_time: end };
}

/** The program, its times and their repetition. */
export function EventForm(props: EventFormProps) {
  const { event, zone, onDone } = props;
  const text = scheduleText();
  const mayWrite = useMayWrite();
  const sequences = useRecords('sequences');
  const regimens = useRecords('regimens');
  const initial = initialValues(props);
  // A draft for another day, or from another program, does not apply.
  const editing = useStoredDraft(`event ${event?.id ?? `new ${initial.date} ${initial.runs.what}`}`, initial);
  const { value: values } = editing;
  const set = (changes: Partial<Values>): void => editing.set({ ...values, ...changes });
  const { date, time, repeat, untilDate, untilTime } = values;
  const { what, given } = values.runs;
  const [type, id] = what.split(' ');
  const isPlan = type === 'Regimen';
  // Robots run a regimen once, whatever its event says. [rule P46]
  const unit = isPlan ? 'never' : values.unit;
  const target = (isPlan ? regimens : sequences).find((each) => each.id === Number(id));
  const parameters = parametersOf(target);
  const choices = [
    ...byName(sequences).map(({ id, name }) => ({
      value: `Sequence ${id}`,
      label: uiText().pair(text.plan.program, name),
    })),
    ...byName(regimens).map(({ id, name }) => ({ value: `Regimen ${id}`, label: uiText().pair(text.regimen, name) })),
  ];
  const [start, end] = [momentAt(date, time, zone), momentAt(untilDate, untilTime, zone)];
  const submission = useSubmission({
    executable_id: what,
    start_time: start,
    end_time: end,
    unit,
    repeat,
    ...parameterValues(parameters, given),
  });
  const last = unit === 'never' ? start : end;
  // A regimen that began in the past still runs its later items.
  const isPast = !isPlan && last !== null && Date.parse(last) < Date.now();

  const save = async (): Promise<void> => {
    const isDone = await submission.run(async () => {
      if (!id) throw new FieldProblems({ executable_id: text.chooseWhat });
      const times = timesOf(start, end, unit);
      requireValues(parameters, given);
      const executable_type = isPlan ? 'Regimen' : 'Sequence';
      const plan = { ...times, repeat: unit === 'never' ? 1 : repeat, time_unit: unit };
      const body = applicationsOf(parameters, given);
      const input = { executable_type, executable_id: Number(id), body, ...plan } as const;
      await undoable(event ? text.saved : text.created, (label) =>
        event
          ? updateRecord('farm_events', event.id, editing.changes.runs ? input : plan, { label, shown: {} })
          : createRecord('farm_events', input, { label }),
      );
    });
    if (!isDone) return;
    editing.end();
    await onDone();
  };
  const remove = async (): Promise<void> => {
    if (!event) return;
    // Before the event is missing.
    await onDone();
    await attempt(async () => {
      await undoable(text.deleted, (label) => deleteRecords('farm_events', [event.id], { label }));
      editing.end();
    });
  };
  const { problems } = submission;
  const field = boundFields(values, editing.set, problems);
  const unitWords = (each: Unit): string => (each === 'never' ? text.never : text.everySome(each));
  const dayWords = (day: string): string => formatDay(parseDate(day));
  const fields: WordedFields<Values> = {
    // Of the same program other values were given.
    runs: [text.what, (runs) => choices.find(({ value }) => value === runs.what && value !== what)?.label ?? null],
    date: [text.date, dayWords],
    time: [text.time, formatTyped],
    unit: [text.repeats, unitWords],
    repeat: [text.every, plainWords],
    untilDate: [text.until, dayWords],
    untilTime: [text.untilTime, formatTyped],
  };
  return (
    <Form
      onSubmit={save}
      submit={mayWrite ? (event ? text.save : text.create) : undefined}
      isReadOnly={!mayWrite}
      submission={submission}
      fields={['executable_id', 'start_time', 'end_time', 'repeat', ...parameters.map(problemKey)]}
      cancel={mayWrite ? text.cancel : text.close}
      isChanged={editing.isChanged}
      onCancel={() => {
        editing.end();
        void onDone();
      }}
      actions={
        mayWrite && event ? (
          <Button tone="danger" onPress={() => void remove()}>
            {text.delete}
          </Button>
        ) : null
      }
    >
      <Meanwhile draft={editing} submission={submission} fields={fields}>
        <ComboBox
          label={text.what}
          name="runs"
          value={what === '' ? null : what}
          choices={choices}
          onChange={(next) => set({ runs: { what: next, given: {} } })}
          problem={problems.executable_id}
        />
        <ParameterFields
          key={what}
          parameters={parameters}
          values={given}
          onChange={(next) => set({ runs: { what, given: next } })}
          problems={problems}
        />
        <div className={styles.pair}>
          <TextField label={text.date} type="date" {...field('date', 'start_time')} />
          <TextField label={text.time} type="time" {...field('time')} />
        </div>
        {isPlan ? null : (
          <Select
            label={text.repeats}
            name="unit"
            value={unit}
            choices={units.map((value) => ({ value, label: unitWords(value) }))}
            onChange={(next) => set({ unit: next })}
          />
        )}
        {unit === 'never' ? null : (
          <>
            <NumberField
              label={`${text.every} (${text.unitsOf(unit)})`}
              name="repeat"
              value={repeat}
              minValue={1}
              onChange={(next) => set({ repeat: Number.isNaN(next) ? 1 : Math.round(next) })}
              problem={problems.repeat}
            />
            <div className={styles.pair}>
              <TextField label={text.until} type="date" {...field('untilDate', 'end_time')} />
              <TextField label={text.untilTime} type="time" {...field('untilTime')} />
            </div>
          </>
        )}
        {start && (unit === 'never' || end) ? (
          <p>
            <strong>
              {isPlan
                ? text.planInWords(formatMoment(start, zone))
                : text.inWords(repeat, unit, formatMoment(start, zone), end ? formatMoment(end, zone) : '')}
            </strong>
          </p>
        ) : null}
        {isPast ? <Notice tone="warn">{text.past}</Notice> : null}
      </Meanwhile>
    </Form>
  );
}
