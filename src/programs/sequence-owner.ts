import { column } from '../db/columns.ts';
import type { ServerScope } from '../db/scope.ts';
import { table } from '../db/table.ts';

/** Sequences of all devices, of which only the owner is asked. */
const owned = table(
  'sequences',
  { device_id: column.bigint(), copyright: column.text().nullable() },
  { reach: 'server' },
);

/** Whose sequence it is, and under which licence it was shared before; for operators, who name it without its account. */
export async function findSequenceOwner(
  server: ServerScope,
  id: number,
): Promise<{ readonly deviceId: number; readonly copyright: string | null } | null> {
  const row = await server.first(owned, { where: { id } });
  return row ? { deviceId: row.device_id, copyright: row.copyright } : null;
}
