import Type from 'typebox';
import type { DeviceScope } from '../db/scope.ts';
import type { Fields } from './fields.ts';
import { bodyOf } from './resource-routes.ts';
import type { DeviceRoute } from './route.ts';
import { empty, jsonText } from './route.ts';
import { bodySchema, recordSchema } from './schemas.ts';
import type { Singleton } from './singleton.ts';
import { removeOne, StaleRecord, showOne, updateOne } from './singleton.ts';

/** Told of a change that was refused because its copy was out of date, outside the transaction that was undone. */
export type WhenStale = (scope: DeviceScope, recordId: number) => Promise<void>;

/** An id in the path that is not looked at. [decision 24] */
export const ignoredId = Type.Object({ ignored: Type.String() });

const staleReply = Type.Object({ stale_record: Type.String() });

/** The routes of a singleton: at its path, and at its path with any id, which is not looked at. [decision 24] */
export function singletonRoutes<F extends Fields>(one: Singleton<F>, whenStale?: WhenStale): DeviceRoute[] {
  const record = recordSchema(one);
  const name = one.singular.toLowerCase();
  return [one.path, `${one.path}/:ignored`].flatMap((path): DeviceRoute[] => {
    const common = {
      access: 'token',
      tag: one.path.replace('/api/', ''),
      path,
      ...(path === one.path ? {} : { addition: true as const, params: ignoredId }),
    } as const;
    return [
      {
        ...common,
        method: 'GET',
        summary: `Show the ${name}`,
        replies: { 200: record },
        handle: async (scope) => jsonText(await showOne(scope, one)),
      },
      {
        ...common,
        method: 'PATCH',
        summary: `Change the ${name}`,
        body: { rule: 'object', schema: bodySchema(one, 'update') },
        replies: { 200: record, ...(one.refusesStale ? { 409: staleReply } : {}) },
        // Whoever is told of a refusal writes after the change was undone.
        transaction: false,
        async handle(scope, call) {
          try {
            return jsonText(await scope.transaction((inner) => updateOne(inner, one, bodyOf(call))));
          } catch (error) {
            if (error instanceof StaleRecord) await whenStale?.(scope, error.recordId);
            throw error;
          }
        },
      },
      {
        ...common,
        method: 'DELETE',
        summary: `Reset the ${name} to its defaults`,
        replies: { 200: 'empty' },
        async handle(scope) {
          await removeOne(scope, one);
          return empty;
        },
      },
    ];
  });
}
