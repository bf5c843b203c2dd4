import type { DeviceScope } from '../db/scope.ts';
import { Type } from '../engine/json-schema.ts';
import { listReply } from '../engine/list-reply.ts';
import { find, updateUnlessOld } from '../engine/records.ts';
import { objectBody, parseId } from '../engine/resource-routes.ts';
import type { Call, DeviceRoute } from '../engine/route.ts';
import { emptyReply, jsonReply } from '../engine/route.ts';
import { bodySchema, pageQuery, recordSchema } from '../engine/schemas.ts';
import type { JobQueue } from '../jobs/queue.ts';
import { createFarmEvent, deleteFarmEvent, updateFarmEvent } from './farm-event-changes.ts';
import { purgeExpiredEvents, schedulePurge } from './farm-event-purge.ts';
import { farmEvents } from './farm-events.ts';

const record = recordSchema(farmEvents);
const common = { access: 'token', batch: true, tag: farmEvents.options.tag } as const;

const findEvent = (scope: DeviceScope, call: Call) =>
  find(scope, farmEvents, parseId(call.params.id, farmEvents.singular));

/** The hand-written routes of farm events. [rule P40, P42, P43] */
export const farmEventRoutes = (queue: JobQueue): DeviceRoute[] => [
  {
    ...common,
    method: 'GET',
    path: '/api/farm_events',
    summary: 'Delete expired farm events and list the others',
    description: 'Deletes the events that have ended, and returns the others.',
    query: pageQuery,
    replies: { 200: Type.Array(record) },
    async handle(scope, call) {
      await purgeExpiredEvents(scope);
      return listReply(scope, farmEvents, call);
    },
  },
  {
    ...common,
    method: 'POST',
    path: '/api/farm_events',
    summary: 'Create a farm event',
    description:
      'Puts a sequence or regimen on the calendar, once or repeated. `body` sets the variables of what is run.',
    body: { rule: 'object', schema: bodySchema(farmEvents, 'create') },
    replies: { 200: record },
    async handle(scope, call) {
      const json = await createFarmEvent(scope, objectBody(call));
      await schedulePurge(scope, queue);
      return jsonReply(json);
    },
  },
  {
    ...common,
    method: 'PATCH',
    path: '/api/farm_events/:id',
    summary: 'Update a farm event',
    description: 'Changes the fields that are sent and returns the whole event.',
    body: { rule: 'object', schema: bodySchema(farmEvents, 'update') },
    replies: { 200: record },
    async handle(scope, call) {
      const [before, body] = [await findEvent(scope, call), objectBody(call)];
      const update = () => updateFarmEvent(scope, before, body);
      return jsonReply(await updateUnlessOld(scope, farmEvents, before.id, body, update));
    },
  },
  {
    ...common,
    method: 'DELETE',
    path: '/api/farm_events/:id',
    summary: 'Delete a farm event',
    description: 'Takes the event off the calendar.',
    replies: { 200: 'empty' },
    async handle(scope, call) {
      await deleteFarmEvent(scope, await findEvent(scope, call));
      return emptyReply;
    },
  },
];
