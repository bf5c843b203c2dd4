import type { DeviceScope } from '../db/scope.ts';
import { fieldFailuresSchema } from '../engine/failure-schemas.ts';
import { find, updateUnlessOld } from '../engine/records.ts';
import { objectBody, parseId } from '../engine/resource-routes.ts';
import type { Call, DeviceRoute } from '../engine/route.ts';
import { emptyReply, jsonReply } from '../engine/route.ts';
import { bodySchema, recordSchema } from '../engine/schemas.ts';
import { createRegimen, deleteRegimen, updateRegimen } from './regimen-changes.ts';
import { regimenInputFields, regimens } from './regimens.ts';

const record = recordSchema(regimens);
const accepted = { ...regimens, fields: regimenInputFields };
const common = { access: 'token', batch: true, tag: regimens.options.tag } as const;

const findRegimen = (scope: DeviceScope, call: Call) =>
  find(scope, regimens, parseId(call.params.id, regimens.singular));

/** The hand-written routes of regimens. [rule P38, P39] */
export const regimenRoutes: readonly DeviceRoute[] = [
  {
    ...common,
    method: 'POST',
    path: '/api/regimens',
    summary: 'Create a regimen',
    description: 'Stores a plan that runs sequences at given times after its start.',
    body: { rule: 'object', schema: bodySchema(accepted, 'create') },
    replies: { 200: record },
    handle: async (scope, call) => jsonReply(await createRegimen(scope, objectBody(call))),
  },
  {
    ...common,
    method: 'PATCH',
    path: '/api/regimens/:id',
    summary: 'Update a regimen',
    description: 'Changes the fields that are sent and returns the whole regimen. `regimen_items` replaces all items.',
    body: { rule: 'object', schema: bodySchema(accepted, 'update') },
    replies: { 200: record },
    async handle(scope, call) {
      const [before, body] = [await findRegimen(scope, call), objectBody(call)];
      const update = () => updateRegimen(scope, before, body);
      return jsonReply(await updateUnlessOld(scope, regimens, before.id, body, update));
    },
  },
  {
    ...common,
    method: 'DELETE',
    path: '/api/regimens/:id',
    summary: 'Delete a regimen that no farm event runs',
    description: 'Deletes the regimen; 422 while a farm event runs it.',
    replies: { 200: 'empty', 422: fieldFailuresSchema },
    async handle(scope, call) {
      await deleteRegimen(scope, await findRegimen(scope, call));
      return emptyReply;
    },
  },
];
