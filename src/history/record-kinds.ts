import type { DeviceScope } from '../db/scope.ts';
import { parseBody } from '../engine/body.ts';
import type { AnyResource, Resource } from '../engine/resource.ts';
import type { DeviceRoute, Route } from '../engine/route.ts';
import { jsonSelection } from '../engine/serializer.ts';
import type { ShownRecord } from './differences.ts';
import { parseRecord } from './differences.ts';

/** A kind of record in the history, with the operations that change it for clients. */
export interface RecordKind {
  /** Its name in announcements. */
  readonly name: string;
  /** Null: the device itself. */
  readonly resource: AnyResource | null;
  /** One record of it: `Webcam feed`. */
  readonly singular: string;
  /** A device has exactly one. */
  readonly isSingle: boolean;
  /** Its records have files, which are deleted with them. */
  readonly hasFiles: boolean;
  readonly create: DeviceRoute | undefined;
  readonly update: DeviceRoute | undefined;
  readonly destroy: DeviceRoute | undefined;
  readonly show: DeviceRoute | undefined;
}

const isSingle = (resource: AnyResource): resource is AnyResource & { readonly path: string } => 'path' in resource;

/** Returns the kinds of records in the history by announced name. The routes decide on the actions of clients. */
export function recordKinds(
  resources: readonly AnyResource[],
  routes: readonly Route[],
): ReadonlyMap<string, RecordKind> {
  const route = (method: string, pattern: string): DeviceRoute | undefined =>
    routes.find(
      (each): each is DeviceRoute => each.access === 'token' && each.method === method && each.path === pattern,
    );
  const operations = (path: string, item: string) => ({
    create: route('POST', path),
    show: route('GET', item),
    update: route('PATCH', item),
    // Several points are deleted by one request.
    destroy: route('DELETE', item) ?? route('DELETE', `${path}/:ids`),
  });
  const kinds = new Map<string, RecordKind>();
  const device = { singular: 'Device', resource: null, isSingle: true, hasFiles: false };
  kinds.set('Device', { name: 'Device', ...device, ...operations('', '/api/device') });
  for (const resource of resources) {
    const { changeLogName: name, isHistory = true } = resource.options;
    if (name === null || !isHistory) continue;
    const single = isSingle(resource);
    const paths = single
      ? operations('', resource.path)
      : operations(`/api/${resource.name}`, `/api/${resource.name}/:id`);
    const { singular } = resource;
    kinds.set(name, {
      name,
      resource,
      singular,
      isSingle: single,
      hasFiles: resource.options.hasFiles === true,
      ...paths,
    });
  }
  return kinds;
}

/** Returns a record as HTTP shows it now; null: there is none for clients. A single one is found whatever its id, which a reset to its defaults changes. */
export async function currentRecord(
  scope: DeviceScope,
  { resource, isSingle }: RecordKind & { resource: AnyResource },
  id: number,
): Promise<ShownRecord | null> {
  const where = { ...(!isSingle && { id }), ...resource.options.syncWhere } as { id: number };
  const [json = null] = await scope.select(resource as Resource, jsonSelection(resource), { where });
  return parseRecord(json);
}

/** Returns the defaults of a record's fields that are shown as they are stored. */
export function shownDefaults({ resource }: RecordKind): ShownRecord {
  if (!resource) return {};
  const { values } = parseBody(resource.fields, {}, 'create');
  return Object.fromEntries(Object.entries(values).filter(([name]) => resource.fields[name]?.traits.shownAs === null));
}
