import { useQueries, useQuery } from '@tanstack/react-query';
import { listQuery } from '../data/collections.ts';
import { changeQuery, type Entry } from './entries.ts';

/** Deleted events of which is read what they ran: the newest. */
const maxRead = 10;

interface Run {
  readonly executable_type: string;
  readonly executable_id: number;
}

const isRun = (record: object | null | undefined): record is Run =>
  record != null && 'executable_type' in record && 'executable_id' in record;

/** Names changes of the schedule by the programs and regimens that their events run; others stay as they are, and so do those that are not known. */
export function useScheduledNames<T extends Entry>(entries: readonly T[]): readonly T[] {
  const scheduled = entries.filter(({ resource }) => resource === 'FarmEvent');
  const enabled = scheduled.length > 0;
  const { data: events } = useQuery({ ...listQuery('farm_events'), enabled });
  const { data: sequences = [] } = useQuery({ ...listQuery('sequences'), enabled });
  const { data: regimens = [] } = useQuery({ ...listQuery('regimens'), enabled });
  const stored = new Set(events?.map(({ id }) => id));
  const deleted = new Map(
    scheduled.flatMap((entry) =>
      events === undefined || stored.has(entry.record_id) ? [] : [[entry.record_id, entry.id]],
    ),
  );
  const changes = useQueries({ queries: [...deleted.values()].slice(0, maxRead).map(changeQuery) });
  const runs = new Map<number, Run>(events?.map((event) => [event.id, event]));
  for (const { data } of changes) {
    const run = data?.before ?? data?.after;
    if (data && isRun(run)) runs.set(data.record_id, run);
  }
  const nameOf = (id: number): string | null => {
    const run = runs.get(id);
    const list = run?.executable_type === 'Regimen' ? regimens : sequences;
    return list.find((each) => each.id === run?.executable_id)?.name ?? null;
  };
  return enabled
    ? entries.map((entry) => (entry.resource === 'FarmEvent' ? { ...entry, name: nameOf(entry.record_id) } : entry))
    : entries;
}
