import type { Change } from '../core/changes.ts';
import type { ChangeLog } from '../db/change-log.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { DeliveryRow } from './deliveries.ts';

/** Returns the type of the delivery of a change: `Point.updated`. */
export const changeType = ({ resource, action }: Change): string => `${resource}.${action}`;

const parseRecord = (text: string | null): unknown => (text === null ? null : JSON.parse(text));

/** Returns the body of a delivery; null if it may no longer be read, or the log no longer has it. */
export async function deliveryBody(
  scope: DeviceScope,
  changes: Pick<ChangeLog, 'find'>,
  { type, change_id, content, created_at }: DeliveryRow,
  isReadable: (resource: string) => boolean,
): Promise<string | null> {
  if (change_id === null) return `{"type":${JSON.stringify(type)},"timestamp":"${created_at}","data":${content}}`;
  const change = await changes.find(scope, change_id);
  if (!change || !isReadable(change.resource)) return null;
  const { at, action, resource, recordId: id, after, label, actor } = change;
  return JSON.stringify({
    type,
    timestamp: at,
    data: { action, resource, id, record: parseRecord(after), label, actor, at },
  });
}
