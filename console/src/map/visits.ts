import type { RecordOf } from '../data/collections.ts';
import type { Point } from './points.ts';

type FarmEvent = Pick<
  RecordOf<'farm_events'>,
  'id' | 'start_time' | 'end_time' | 'executable_type' | 'executable_id' | 'body'
>;
type Regimen = Pick<RecordOf<'regimens'>, 'id' | 'name' | 'body'> & {
  readonly regimen_items: readonly { readonly time_offset: number }[];
};

/** The records that the schedule consists of. */
export interface Schedule {
  readonly events: readonly FarmEvent[];
  readonly sequences: readonly Pick<RecordOf<'sequences'>, 'id' | 'name'>[];
  readonly regimens: readonly Regimen[];
  readonly groups: readonly { readonly id: number; readonly memberIds: ReadonlySet<number> }[];
}

/** An event of the schedule that is about points. */
export interface Visit {
  readonly event: FarmEvent;
  /** Of the program or regimen. */
  readonly name: string;
}

/** Returns the last moment of an event, in ms; null: it has none. The end of a regimen's event is a minute after its start. */
function endOf({ start_time, end_time }: FarmEvent, regimen: Regimen | undefined): number | null {
  if (!regimen) return end_time === null ? null : Date.parse(end_time);
  // They count from the midnight before the start.
  const offsets = regimen.regimen_items.map(({ time_offset }) => time_offset);
  return start_time === null ? null : Date.parse(start_time) + Math.max(0, ...offsets);
}

/** Returns the events that are not over and that all of these points are chosen for: one by itself, several with a group. `now` in ms. */
export function visitsOf(
  chosen: readonly Pick<Point, 'id'>[],
  { events, sequences, regimens, groups }: Schedule,
  now: number,
): readonly Visit[] {
  const [only, ...others] = chosen;
  const groupIds = new Set(
    groups.flatMap((group) => (chosen.every(({ id }) => group.memberIds.has(id)) ? [group.id] : [])),
  );
  return events.flatMap((event) => {
    const { executable_type, executable_id } = event;
    const regimen = executable_type === 'Regimen' ? regimens.find(({ id }) => id === executable_id) : undefined;
    const end = endOf(event, regimen);
    const isOver = end !== null && end < now;
    const name = (regimen ?? sequences.find(({ id }) => executable_type === 'Sequence' && id === executable_id))?.name;
    const isAboutThem = [...event.body, ...(regimen?.body ?? [])].some((node) => {
      const value = node.kind === 'parameter_application' ? node.args.data_value : undefined;
      if (value?.kind === 'point') return value.args.pointer_id === only?.id && others.length === 0;
      return value?.kind === 'point_group' && groupIds.has(value.args.point_group_id);
    });
    return isAboutThem && !isOver && name !== undefined ? [{ event, name }] : [];
  });
}
