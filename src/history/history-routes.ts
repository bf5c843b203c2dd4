import type { Change } from '../core/changes.ts';
import { invalid, refused } from '../core/errors.ts';
import { parseTime } from '../core/time-formats.ts';
import type { ChangeRow } from '../db/change-rows.ts';
import { isEffective } from '../db/change-rows.ts';
import type { Where } from '../db/scope.ts';
import { actorSchema } from '../engine/change-schemas.ts';
import { fieldFailuresSchema } from '../engine/failure-schemas.ts';
import { labelOf } from '../engine/field-label.ts';
import { sayOfField } from '../engine/field-messages.ts';
import { Type } from '../engine/json-schema.ts';
import { idSchema, timeSchema } from '../engine/kinds.ts';
import { objectBody } from '../engine/resource-routes.ts';
import type { ResourceRights } from '../engine/rights.ts';
import { assertRole } from '../engine/rights.ts';
import type { Call, DeviceRoute } from '../engine/route.ts';
import { deviceRoutes, jsonReply } from '../engine/route.ts';
import { differences, parseRecord } from './differences.ts';
import {
  assertFitting,
  changePages,
  findChange,
  listChanges,
  maxReverted,
  parseSearch,
  readChanges,
  search,
} from './history-reading.ts';
import { say } from './messages.ts';
import type { RecordKind } from './record-kinds.ts';
import type { Reverter } from './reverter.ts';

const listed = {
  id: idSchema,
  at: timeSchema,
  request: Type.String({ description: 'The same for all changes of one request, or one run of a job.' }),
  actor: actorSchema,
  resource: Type.String({ description: 'By its name in announcements: `Point`.' }),
  record_id: idSchema,
  action: Type.OneOf(['created', 'updated', 'deleted', 'kept'], {
    description:
      '`kept`: a robot sent an old copy of the record, which changed nothing; `before` is that copy, `after` the record.',
  }),
  name: Type.Nullable(
    Type.String({
      description:
        'The name of the record, if it has one; of an event of the schedule, the present name of what it ran then, null if that was deleted.',
    }),
  ),
  label: Type.String({ description: 'The id that the client gave the request, or a generated one.' }),
};

const listedExample = {
  id: 12,
  at: '2026-04-01T08:00:00.000Z',
  request: '6f1f4d0e-4c0b-4d5c-9b53-2b0d5f3f0a11',
  actor: { kind: 'user', user_id: 1, name: 'Ada', via: null },
  resource: 'Point',
  record_id: 7,
  action: 'updated',
  name: 'Tomato',
  label: 'x-1',
};

const record = Type.Nullable(Type.Object({}, { additionalProperties: true }));

const listedSchema = Type.Object(listed, { $id: 'HistoryEntry', examples: [listedExample] });

const changeSchema = Type.Object(
  {
    ...listed,
    before: record,
    after: record,
    difference: Type.Array(Type.Object({ field: Type.String(), before: Type.Unknown(), after: Type.Unknown() }), {
      description: 'The fields whose values differ, except `updated_at`.',
    }),
  },
  {
    $id: 'HistoryChange',
    examples: [
      {
        ...listedExample,
        before: { id: 7, name: 'Leek' },
        after: { id: 7, name: 'Tomato' },
        difference: [{ field: 'name', before: 'Leek', after: 'Tomato' }],
      },
    ],
  },
);

const revertedSchema = Type.Object(
  {
    reverted: Type.Integer({ description: 'The number of changes that were reverted.' }),
    request: Type.String({
      description: 'The `request` of the changes that the revert made: revert it to undo the revert.',
    }),
  },
  { $id: 'Reverted', examples: [{ reverted: 1, request: '0b9f4a52-6d0e-4a57-8a57-1df8a1d3c9a1' }] },
);

const conflictSchema = Type.Object(
  { error: Type.String() },
  {
    $id: 'HistoryConflict',
    examples: [{ error: 'Point 7 (Tomato) changed since. Send "force": true to put it back nevertheless.' }],
  },
);

const force = Type.Optional(Type.Boolean({ description: 'Put back records that changed since, too.' }));

export interface HistoryServices {
  readonly rights: ResourceRights;
  readonly kinds: ReadonlyMap<string, RecordKind>;
  readonly reverter: Reverter;
}

/** Returns the routes of the history. [ADR 62] */
export function historyRoutes({ rights, kinds, reverter }: HistoryServices): DeviceRoute[] {
  const names = [...kinds.keys()];
  const readable = ({ session }: Call): string[] => names.filter(rights.readable(session.rights));
  return deviceRoutes({ tag: 'History', addition: true }, [
    {
      method: 'GET',
      path: '/api/history',
      summary: 'List the changes of the garden',
      description:
        'Returns who changed which record when, newest first. `before_id` is the id of the last change of the page before. Only resources that you may read are listed; logs, readings, telemetry and the settings of the web app are not part of the history.',
      query: search.schema,
      replies: { 200: Type.Array(listedSchema), 422: fieldFailuresSchema },
      async handle(scope, call) {
        return jsonReply(await listChanges(scope, parseSearch(call, names, readable(call))));
      },
    },
    {
      method: 'GET',
      path: '/api/history/:id',
      summary: 'Show a change with its difference',
      description: 'Returns the record before and after the change, and the fields that differ.',
      replies: { 200: changeSchema },
      async handle(scope, call) {
        const change = await findChange(scope, call.params.id, readable(call));
        const [before, after] = [parseRecord(change.before), parseRecord(change.after)];
        const [entry] = JSON.parse(String(await listChanges(scope, { where: { id: change.id }, limit: 1 })));
        return { ...entry, before, after, difference: differences(before, after) };
      },
    },
    {
      method: 'POST',
      path: '/api/history/:id/revert',
      scope: 'any',
      summary: 'Revert a change',
      description:
        'Puts the record back to the state before the change: an update is reversed, a created record is deleted, and a deleted one comes back with its id and with what referred to it, where that is still free. 409 if the record changed since, unless `force` is true; 422 if something stands in the way. A revert is a change that can be reverted.',
      body: { rule: 'optional', schema: Type.Object({ force }, { examples: [{ force: true }] }) },
      replies: { 200: revertedSchema, 409: conflictSchema },
      async handle(scope, call) {
        const change = await findChange(scope, call.params.id, readable(call));
        if (!isEffective(change)) throw refused(say.nothingChanged);
        await reverter.revert(scope, [change], { call, force: isForced(call) });
        if (change.action === 'deleted') {
          const where = { request: change.request, id: { not: change.id } };
          for await (const others of changePages(scope, where, names))
            await reverter.restoreReferences(scope, change, others, call);
        }
        return { reverted: 1, request: scope.request };
      },
    },
    {
      method: 'POST',
      path: '/api/history/revert',
      scope: 'any',
      summary: 'Revert a request or a span of time',
      description: `Reverts all changes of one \`request\`, all since a change (\`from_id\`, included) or all since a time (\`since\`), newest first, in one transaction: all of them or none, at most ${maxReverted}. A span needs the role \`owner\`; every resource that is touched needs the right to write it. 409 if a record changed since, unless \`force\` is true; 422 if something stands in the way.`,
      body: {
        rule: 'object',
        schema: Type.Object(
          {
            request: Type.Optional(Type.String()),
            from_id: Type.Optional(idSchema),
            since: Type.Optional(timeSchema),
            force,
          },
          { examples: [{ since: '2026-04-01T08:00:00.000Z' }] },
        ),
      },
      replies: { 200: revertedSchema, 409: conflictSchema },
      async handle(scope, call) {
        const force = isForced(call);
        const where = parseSpan(call);
        if (!('request' in where)) assertRole(call.session.rights, 'owner');
        await assertFitting(scope, where, names);
        const changes = await readChanges(scope, where, names);
        assertRevertible(changes);
        await reverter.revert(scope, changes, { call, force });
        return { reverted: changes.length, request: scope.request };
      },
    },
  ]);
}

function assertRevertible(changes: readonly Change[]): void {
  if (changes.length > maxReverted) throw refused(say.manyChanges(maxReverted));
}

/** Throws 422. */
function isForced(call: Call): boolean {
  const { force } = objectBody(call);
  if (force !== undefined && typeof force !== 'boolean') throw invalid({ force: sayOfField.truth(labelOf('force')) });
  return force === true;
}

/** Parses which changes to revert. Throws 422. */
function parseSpan(call: Call): Where<ChangeRow> {
  const { request, from_id, since } = objectBody(call);
  const sent = Object.entries({ request, from_id, since }).filter(([, value]) => value !== undefined);
  if (sent.length !== 1) throw refused(say.noSpan);
  if (from_id !== undefined) {
    if (!Number.isSafeInteger(from_id) || Number(from_id) < 1) throw invalid({ from_id: say.changeId });
    return { id: { gte: Number(from_id) } };
  }
  if (since !== undefined) {
    const time = typeof since === 'string' ? parseTime(since) : null;
    if (time === null) throw invalid({ since: say.time('2026-04-01T08:00:00.000Z') });
    return { created_at: { gte: time } };
  }
  if (typeof request !== 'string' || request.length > 100 || request === '') throw invalid({ request: say.request });
  return { request };
}
