import { today } from '@internationalized/date';
import { sendTogether } from '../data/changes.ts';
import { useRecords } from '../data/collections.ts';
import { dayAt, formatDate, formatTyped, momentAt, useZone } from '../data/garden-time.ts';
import { membersOf } from '../data/group-criteria.ts';
import { undoable } from '../data/undo.ts';
import { useDraft } from '../ui/draft.ts';
import { Select, TextField } from '../ui/fields.tsx';
import { Form } from '../ui/form.tsx';
import { Notice } from '../ui/page.tsx';
import { FieldProblems, useSubmission } from '../ui/submission.ts';
import { morningRequests } from './morning.ts';
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
  const submission = useSubmission();
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
  const { problems } = submission;
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
      <TextField
        label={text.time}
        type="time"
        value={time}
        onChange={(next) => setTyped({ ...typed, time: next })}
        problem={problems.start_time}
      />
      <TextField
        label={text.until}
        type="date"
        value={until}
        onChange={(next) => setTyped({ ...typed, until: next })}
        problem={problems.end_time}
      />
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
