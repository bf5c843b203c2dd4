import { errorTable } from '../core/errors.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { Fields } from './fields.ts';
import { Type } from './json-schema.ts';
import type { AnyResource } from './resource.ts';
import { tagTables } from './resource.ts';
import { objectBody } from './resource-routes.ts';
import type { Call, DeviceRoute } from './route.ts';
import { emptyReply, jsonReply } from './route.ts';
import { bodySchema, recordSchema } from './schemas.ts';
import type { Singleton } from './singleton.ts';
import { deleteSingleton, StaleRecord, showSingleton, updateSingleton } from './singleton.ts';

/** Called when an update of a stale copy was rejected, after its transaction was rolled back. */
export type StaleHandler = (scope: DeviceScope, one: Singleton, recordId: number, call: Call) => Promise<void>;

/** An id in the path that is ignored. [decision 24] */
export const ignoredId = Type.Object({ ignored: Type.String() });

/** The body of a 409 for a stale copy. */
export const staleReply = Type.Object(
  { stale_record: Type.String() },
  { $id: 'StaleRecord', examples: [{ stale_record: String(errorTable.stale_record[1]) }] },
);

/** Returns the routes of a singleton, at its path and at its path with any id, which is ignored. [decision 24] */
export function singletonRoutes<F extends Fields>(one: Singleton<F>, whenStale?: StaleHandler): DeviceRoute[] {
  const record = recordSchema(one);
  const name = one.singular.toLowerCase();
  const tables = tagTables(one as AnyResource);
  return [one.path, `${one.path}/:ignored`].flatMap((path): DeviceRoute[] => {
    const common = {
      access: 'token',
      tag: one.options.tag,
      batch: true,
      path,
      ...(path === one.path ? {} : { addition: true as const, params: ignoredId, aliasOf: one.path }),
    } as const;
    return [
      {
        ...common,
        method: 'GET',
        summary: `Show the ${name}`,
        description: one.options.description,
        ...(tables ? { reads: () => tables } : {}),
        replies: { 200: record },
        handle: async (scope) => jsonReply(await showSingleton(scope, one)),
      },
      {
        ...common,
        method: 'PATCH',
        summary: `Update the ${name}`,
        description: one.refusesStale
          ? 'Changes the fields that are sent and returns the whole record; 409 if `updated_at` is sent and the record changed since.'
          : 'Changes the fields that are sent and returns the whole record.',
        body: { rule: 'object', schema: bodySchema(one, 'update') },
        replies: { 200: record, ...(one.refusesStale ? { 409: staleReply } : {}) },
        // The handler of a stale copy writes after the rollback.
        transaction: false,
        async handle(scope, call) {
          try {
            return jsonReply(await scope.transaction((inner) => updateSingleton(inner, one, objectBody(call))));
          } catch (error) {
            if (error instanceof StaleRecord)
              await whenStale?.(scope, one as unknown as Singleton, error.recordId, call);
            throw error;
          }
        },
      },
      {
        ...common,
        method: 'DELETE',
        summary: `Reset the ${name} to its defaults`,
        description: 'Deletes the record; the next request has one with the defaults.',
        replies: { 200: 'empty' },
        async handle(scope) {
          await deleteSingleton(scope, one);
          return emptyReply;
        },
      },
    ];
  });
}
