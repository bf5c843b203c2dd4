import { groupInput, pointGroupItems, pointGroups } from '../../garden/point-groups.ts';
import { points } from '../../garden/points.ts';
import type { Entry } from '../import-entries.ts';
import { say } from '../messages.ts';
import type { TransferRules } from '../transfer-rules.ts';
import { isArchived } from './points.ts';

const membersOf = ({ values }: Entry): readonly number[] => values.point_ids as readonly number[];

export const pointGroupRules: TransferRules = {
  resource: pointGroups,
  isOptional: true,
  fields: groupInput,
  dependsOn: [points.name],
  /** Removes members that are missing, archived or listed twice. */
  check(list, { lists, known, remarks }) {
    const archived = new Set(
      lists
        .get(points.name)
        ?.entries.filter(isArchived)
        .map(({ id }) => id),
    );
    for (const entry of list.entries) {
      const { path, values } = entry;
      const sent = membersOf(entry);
      const members = [...new Set(sent)].filter((id) => known.state(points.name, id) === 'stored' && !archived.has(id));
      if (members.length < sent.length) remarks.changed(`${path}/point_ids`, say.members(sent.length - members.length));
      values.point_ids = members;
    }
  },
  toRow(row) {
    delete row.point_ids;
  },
  parts: { table: pointGroupItems, countOf: (entry) => membersOf(entry).length },
  async afterInsert(entries, { newId, storedId, insertAll }) {
    for (const entry of entries) {
      const point_group_id = storedId(pointGroups.name, entry);
      const items = membersOf(entry).flatMap((id) => {
        const point_id = newId(points.name, id);
        return point_id === undefined ? [] : [{ point_group_id, point_id }];
      });
      await insertAll(pointGroupItems, items);
    }
  },
};
