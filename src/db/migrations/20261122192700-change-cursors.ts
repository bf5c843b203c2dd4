import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** How far readers of the change log have come. Announcements that are not delivered yet move to the log. */
export const changeCursors: Migration = {
  number: 20261122192700,
  name: 'change cursors',
  change(schema) {
    schema.createTable(
      'change_cursors',
      {
        device_id: column.bigint().references('devices'),
        reader: column.text(),
        position: column.bigint(),
        claimed_by: column.text().nullable(),
        claimed_until: column.time(),
      },
      { unique: [['device_id', 'reader']] },
    );
    schema.execute(`insert into changes
      (device_id, created_at, updated_at, request, actor_kind, resource, record_id, action, after, label, origin, byte_size)
      select device_id, created_at, updated_at, '', 'server', resource, record_id,
        case when body is null then 'deleted' else 'updated' end, body, label, origin, 200 + coalesce(length(body), 0)
      from events order by id`);
    schema.dropTable('events');
  },
};
