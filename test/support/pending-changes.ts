import { progressOf } from '../../src/db/announcement-progress.ts';
import { changeRows } from '../../src/db/change-rows.ts';
import type { ServerScope } from '../../src/db/scope.ts';

/** Returns the number of changes of these devices that are not announced yet. */
export async function countPendingOf(server: ServerScope, deviceIds: readonly number[]): Promise<number> {
  let count = 0;
  for (const { deviceId: device_id, position } of await progressOf(server, { where: { id: [...deviceIds] } }))
    count += await server.count(changeRows, { where: { device_id, id: { gt: position } } });
  return count;
}
