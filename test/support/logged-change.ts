import { changeRows } from '../../src/db/change-rows.ts';
import type { DeviceScope } from '../../src/db/scope.ts';

/** Logs a change of a tool as another process does, of which this process is not notified. Returns its id. */
export async function logChange(scope: DeviceScope, id?: number): Promise<number> {
  const { id: logged } = await scope.insert(changeRows, {
    request: 'r',
    actor_kind: 'server',
    label: 'x',
    origin: 'server',
    resource: 'Tool',
    record_id: 1,
    action: 'created',
    byte_size: 200,
    ...(id !== undefined && { id }),
  });
  return logged;
}
