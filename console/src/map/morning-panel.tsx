import { today } from '@internationalized/date';
import { type BatchPart, sendTogether } from '../data/changes.ts';
import { useRecords } from '../data/collections.ts';
import { formatDate, formatTyped, useZone } from '../data/garden-time.ts';
import { membersOf } from '../data/group-criteria.ts';
import { placeName } from '../data/parameters.ts';
import { undoable } from '../data/undo.ts';
import { dayAt, momentAt } from '../data/zoned-days.ts';
import { boundFields } from '../ui/bound-fields.ts';
import { useDraft } from '../ui/draft.ts';
import { Select, TextField } from '../ui/fields.tsx';
import { Form } from '../ui/form.tsx';
import { Notice } from '../ui/page.tsx';
import { FieldProblems, useSubmission } from '../ui/submission.ts';
import { morningText } from './morning-text.ts';
import { NoWatering } from './no-watering.tsx';
import type { Plant } from './points.ts';
import { VisitList } from './visit-list.tsx';
import { openTime, type WateringMethod, wateringMethods } from './watering.ts';

const usualTime = '07:00';
/** It repeats for so long, in days, unless another end is chosen. */
const usualLength = 90;
const maxNameLength = 80;

const keyOf = ({ kind, id }: WateringMethod): string => `${kind} ${id}`;

/** Schedules watering of plants for every morning, with the needed program, and a group if there are several plants. */
export function MorningPanel({ plants, onDone }: { readonly plants: readonly Plant[]; readonly onDone: () => void }) {
  const text = morningText();
  const zone = useZone();
  const points = useRecords('points');
  const groups = useRecords('point_groups');
  const peripherals = useRecords('peripherals');
  const known = wateringMethods(useRecords('sequences'), peripherals);
  const stored = known.filter(({ kind }) => kind === 'sequence');
  // Without a program one is created, for any peripheral: peripherals named for water come first.
  const others = peripherals.map(({ id, label }): WateringMethod => ({ kind: 'peripheral', id, name: label }));
  const methods =
    stored.length > 0 ? stored : [...known, ...others.filter(({ id }) => !known.some((one) => one.id === id))];
  const now = today(zone);
  const [typed, setTyped, endDraft] = useDraft('morning', {
    chosen: '',
    time: usualTime,
    until: now.add({ days: usualLength }).toString(),
  });
  const { chosen, time, until } = typed;
  const submission = useSubmission({ chosen, start_time: time, end_time: until });
  const method = methods.find((each) => keyOf(each) === chosen) ?? methods[0];
  const [first] = plants;
  if (!first) return <Notice>{text.noPlants}</Notice>;
  if (!method) return <NoWatering reason={text.noWater} />;
  const soon = momentAt(now.toString(), time, zone);
  const isOver = soon !== null && Date.parse(soon) <= Date.now();
  const start = isOver ? momentAt(now.add({ days: 1 }).toString(), time, zone) : soon;
  const end = momentAt(until, '23:59', zone);
  const schedule = async (): Promise<void> => {
    const isDone = await submission.run(async () => {
      if (!start) throw new FieldProblems({ start_time: text.timeMissing });
      if (!end || end <= start) throw new FieldProblems({ end_time: text.dayMissing });
      const ids = new Set(plants.map(({ id }) => id));
      const same = groups.find((group) => {
        const members = membersOf(group, points, Date.now());
        return members.length === ids.size && members.every(({ id }) => ids.has(id));
      });
      const crop = plants.every(({ name }) => name === first.name) ? first.name : text.mixed;
      const requests = morningRequests({
        method,
        plants,
        groupId: same?.id ?? null,
        start,
        end,
        names: {
          program: text.programName(method.name).slice(0, maxNameLength),
          group: text.groupName(plants.length, crop).slice(0, maxNameLength),
        },
      });
      await undoable(
        text.scheduled(plants.length, first.name, formatTyped(time)),
        (label) => sendTogether(requests, label),
        () => ({ label: text.show, to: '/schedule', search: { date: dayAt(start, zone) } }),
      );
    });
    if (!isDone) return;
    endDraft();
    onDone();
  };
  const field = boundFields(typed, setTyped, submission.problems);
  return (
    <Form onSubmit={schedule} submit={text.schedule} submission={submission} fields={['start_time', 'end_time']}>
      <VisitList chosen={plants} points={points} />
      <Select
        label={text.how}
        value={keyOf(method)}
        choices={methods.map((each) => ({
          value: keyOf(each),
          label: each.kind === 'sequence' ? each.name : text.newProgram(each.name, openTime / 1000),
        }))}
        onChange={(next) => setTyped({ ...typed, chosen: next })}
      />
      <TextField label={text.time} type="time" {...field('time', 'start_time')} />
      <TextField label={text.until} type="date" {...field('until', 'end_time')} />
      {start && end ? (
        <p>
          <strong>
            {text.summary(plants.length, formatTyped(time), formatDate(start, zone), formatDate(end, zone), zone)}
          </strong>
        </p>
      ) : null}
    </Form>
  );
}

/** A watering of plants that repeats every day. */
interface Morning {
  readonly method: WateringMethod;
  readonly plants: readonly Pick<Plant, 'id'>[];
  /** A group that has just these plants; null: several plants become one. */
  readonly groupId: number | null;
  /** ISO 8601. */
  readonly start: string;
  readonly end: string;
  /** The names of new records. */
  readonly names: { readonly program: string; readonly group: string };
}

/** Returns a program that goes over a place and opens a peripheral there. */
function programOver(name: string, peripheralId: number): object {
  const place = { kind: 'identifier', args: { label: placeName } };
  const axis = (axis: 'x' | 'y' | 'z', axis_operand: object) => ({
    kind: 'axis_overwrite',
    args: { axis, axis_operand },
  });
  const write = (pin_value: 0 | 1) => ({
    kind: 'write_pin',
    args: {
      pin_number: { kind: 'named_pin', args: { pin_type: 'Peripheral', pin_id: peripheralId } },
      pin_mode: 0,
      pin_value,
    },
  });
  const anywhere = { kind: 'coordinate', args: { x: 0, y: 0, z: 0 } };
  const parameter = { kind: 'parameter_declaration', args: { label: placeName, default_value: anywhere } };
  const safe = axis('z', { kind: 'special_value', args: { label: 'safe_height' } });
  return {
    name,
    color: 'blue',
    args: { locals: { kind: 'scope_declaration', args: {}, body: [parameter] } },
    body: [
      { kind: 'move', args: {}, body: [axis('x', place), axis('y', place), safe, { kind: 'safe_z', args: {} }] },
      write(1),
      { kind: 'wait', args: { milliseconds: openTime } },
      write(0),
    ],
  };
}

/** Returns the requests that schedule a watering: the missing program and group, and the event, which refers to them. */
function morningRequests({ method, plants, groupId, start, end, names }: Morning): BatchPart[] {
  const parts: BatchPart[] = [];
  const make = (path: string, body: object): { readonly $ref: string } => {
    parts.push({ method: 'POST', path, body });
    return { $ref: `${parts.length}.id` };
  };
  const isStored = method.kind === 'sequence';
  const executable_id = isStored ? method.id : make('/api/sequences', programOver(names.program, method.id));
  const [only, ...others] = plants;
  const point_group_id = (): unknown =>
    groupId ?? make('/api/point_groups', { name: names.group, point_ids: plants.map(({ id }) => id) });
  const data_value =
    only && others.length === 0
      ? { kind: 'point', args: { pointer_type: 'Plant', pointer_id: only.id } }
      : { kind: 'point_group', args: { point_group_id: point_group_id() } };
  const label = isStored ? method.variable : placeName;
  make('/api/farm_events', {
    executable_type: 'Sequence',
    executable_id,
    start_time: start,
    end_time: end,
    repeat: 1,
    time_unit: 'daily',
    body: [{ kind: 'parameter_application', args: { label, data_value } }],
  });
  return parts;
}
