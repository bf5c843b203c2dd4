import { fieldFailuresSchema } from '../engine/failure-schemas.ts';
import { Type } from '../engine/json-schema.ts';
import { list, show, updateUnlessOld } from '../engine/records.ts';
import { objectBody, parseId } from '../engine/resource-routes.ts';
import type { DeviceRoute } from '../engine/route.ts';
import { emptyReply, jsonReply } from '../engine/route.ts';
import { bodySchema, recordSchema } from '../engine/schemas.ts';
import { createSequence, deleteSequence, inputFields, updateSequence } from './sequence-changes.ts';
import { sequenceChanges, sequences } from './sequences.ts';

/** Parses the id of a sequence in a path. Throws 404. */
export const sequenceIdOf = (params: Readonly<Record<string, string>>): number =>
  parseId(params.id, sequences.singular);

/** The routes of sequences. */
export function sequenceRoutes(): DeviceRoute[] {
  const record = recordSchema(sequences);
  const common = { access: 'token', batch: true, tag: sequences.options.tag } as const;
  return [
    {
      ...common,
      method: 'GET',
      path: '/api/sequences',
      summary: 'List the sequences',
      description: 'Returns all sequences with their programs.',
      replies: { 200: Type.Array(record) },
      handle: async (scope) => jsonReply(await list(scope, sequences)),
    },
    {
      ...common,
      method: 'GET',
      path: '/api/sequences/:id',
      summary: 'Show a sequence',
      description:
        'Returns one sequence with its program. A sequence that links to a shared version shows the program of the version.',
      replies: { 200: record },
      handle: async (scope, { params }) => jsonReply(await show(scope, sequences, sequenceIdOf(params))),
    },
    {
      ...common,
      method: 'POST',
      path: '/api/sequences',
      summary: 'Create a sequence',
      description:
        'Checks the program (`args` and `body`) and stores it. The first problem is reported with 422; `POST /api/sequences/check` reports all of them.',
      body: { rule: 'object', schema: bodySchema(sequences, 'create') },
      replies: { 200: record },
      handle: async (scope, call) => jsonReply(await createSequence(scope, objectBody(call))),
    },
    {
      ...common,
      method: 'PATCH',
      path: '/api/sequences/:id',
      summary: 'Update a sequence',
      description:
        'Changes the fields that are sent and returns the whole sequence. A `body` without `args` resets the variables. A sequence that links to a shared version keeps showing the steps and variables of the version, whatever is sent, unless `forked: true` is sent with them.',
      body: { rule: 'object', schema: bodySchema({ ...sequences, fields: sequenceChanges }, 'update') },
      replies: { 200: record },
      async handle(scope, call) {
        const [id, body] = [sequenceIdOf(call.params), objectBody(call)];
        const update = () => updateSequence(scope, id, body);
        return jsonReply(await updateUnlessOld(scope, sequences, id, inputFields(body), update));
      },
    },
    {
      ...common,
      method: 'DELETE',
      path: '/api/sequences/:id',
      summary: 'Delete a sequence that nothing uses',
      description: 'Deletes the sequence; 422 while another program, a regimen, an event or a button runs it.',
      replies: { 200: 'empty', 422: fieldFailuresSchema },
      async handle(scope, { params }) {
        await deleteSequence(scope, sequenceIdOf(params));
        return emptyReply;
      },
    },
  ];
}
