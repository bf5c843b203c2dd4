import { notFound } from '../core/errors.ts';
import type { DeviceScope, JsonText, Query, Where } from '../db/scope.ts';
import type { Sql } from '../db/sql.ts';
import { joinSql, sql } from '../db/sql.ts';
import { Type } from '../engine/json-schema.ts';
import { maxInt32, minInt32 } from '../engine/kinds.ts';
import { list } from '../engine/records.ts';
import { objectBody, parseId } from '../engine/resource-routes.ts';
import type { Call, DeviceRoute } from '../engine/route.ts';
import { emptyReply, jsonReply } from '../engine/route.ts';
import { bodySchema, inputSchema, recordSchema } from '../engine/schemas.ts';
import { loadSingleton } from '../engine/singleton.ts';
import { ownDevice } from './devices.ts';
import { keptLogs } from './log-retention.ts';
import type { LogRow, LogStore } from './log-store.ts';
import { sentLog } from './log-store.ts';
import { logs, logTypes } from './logs.ts';
import { webAppConfig } from './web-app-config.ts';

const record = recordSchema(logs);
const common = { access: 'token', tag: logs.options.tag } as const;

const { message, type, verbosity, x, y, z } = logs.fields;

/** The filters of a search. */
const filters = inputSchema({ message, type, verbosity, x, y, z }, 'update', 'LogSearch');

/** Returns a filter's value as text; filters are sent in the query or in a JSON body. [rule D24] */
const filterText = (value: unknown): string | undefined =>
  typeof value === 'string'
    ? value
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : undefined;

/** Returns the number at the beginning of a text, or 0. [rule D23] */
const leadingNumber = (text: string): number => Number.parseFloat(text) || 0;

/** Returns the condition of a search, in which all filters must match exactly; null if no log can match. */
function searchCondition(call: Call): Where<LogRow> | null {
  const sent: Record<string, unknown> = { ...call.query, ...objectBody(call) };
  const where: { -readonly [K in keyof Where<LogRow>]: Where<LogRow>[K] } = {};
  const message = filterText(sent.message);
  if (message !== undefined) where.message = message;
  const type = filterText(sent.type);
  if (type !== undefined) {
    const known = logTypes.find((name) => name === type);
    if (!known) return null;
    where.type = known;
  }
  const verbosity = filterText(sent.verbosity);
  if (verbosity !== undefined) {
    where.verbosity = Math.trunc(leadingNumber(verbosity));
    if (where.verbosity < minInt32 || where.verbosity > maxInt32) return null;
  }
  for (const axis of ['x', 'y', 'z'] as const) {
    const position = filterText(sent[axis]);
    if (position === undefined) continue;
    const number = leadingNumber(position);
    if (!Number.isFinite(number)) return null;
    where[axis] = number;
  }
  return where;
}

/** Returns the condition that hides logs above the verbosity in the user's settings, by type. */
async function verbosityCondition(scope: DeviceScope): Promise<Sql> {
  const config = await loadSingleton(scope, webAppConfig);
  const limits = logTypes.map((type) => sql`(type = ${type} and verbosity <= ${config[`${type}_log`]})`);
  return sql`(${joinSql(limits, ' or ')})`;
}

/** Returns the JSON of the logs that the device keeps, newest first, and has the others deleted. */
async function listKept(
  scope: DeviceScope,
  store: LogStore,
  { where = {}, and }: Query<LogRow> = {},
): Promise<JsonText> {
  const kept = keptLogs(scope, await ownDevice(scope), scope.clock.now());
  store.trim(scope);
  return list(scope, logs, null, { where, and: and ? sql`${kept} and ${and}` : kept, order: [['id', 'desc']] });
}

/** `deletesAll`: `DELETE /api/logs/:id` deletes all logs of the device instead of one. [decision 9, 11] */
export const logRoutes = (store: LogStore, deletesAll: boolean): DeviceRoute[] => [
  {
    ...common,
    method: 'GET',
    path: '/api/logs',
    summary: 'List the logs, newest first',
    description:
      'Returns the logs that the device keeps, in the reverse order of their receipt: the newest ones, up to the limit of the account and the age `max_log_age_in_days`. A quarter of them is for errors, warnings and assertions.',
    replies: { 200: Type.Array(record) },
    handle: async (scope) => jsonReply(await listKept(scope, store)),
  },
  {
    ...common,
    method: 'GET',
    path: '/api/logs/search',
    summary: 'Search the logs, newest first',
    description:
      "Returns the kept logs that equal all given filters. Logs above the verbosity in the web app's settings are left out. Filters may also be sent as a JSON body.",
    query: filters,
    body: { rule: 'optional', schema: filters },
    replies: { 200: Type.Array(record) },
    async handle(scope, call) {
      const where = searchCondition(call);
      if (!where) return jsonReply('[]');
      return jsonReply(await listKept(scope, store, { where, and: await verbosityCondition(scope) }));
    },
  },
  {
    ...common,
    method: 'POST',
    path: '/api/logs',
    summary: 'Store a log',
    description:
      'Stores a message, and sends it to the event streams with `live=logs`. With the channel `fatal_email` it is mailed immediately, with `email` in a digest.',
    body: { rule: 'object', schema: bodySchema(sentLog, 'create') },
    replies: { 200: record },
    handle: async (scope, call) => jsonReply(await store.store(scope, objectBody(call))),
  },
  {
    ...common,
    method: 'DELETE',
    path: '/api/logs/all',
    summary: 'Delete all logs',
    description: 'Deletes all logs of the device.',
    replies: { 200: 'empty' },
    handle: deleteAll,
  },
  {
    ...common,
    method: 'DELETE',
    path: '/api/logs/:log',
    ...(deletesAll ? { aliasOf: '/api/logs/all' } : {}),
    summary: deletesAll ? 'Delete all logs, whatever the id' : 'Delete a log',
    description: 'Deletes this log only.',
    replies: { 200: 'empty' },
    handle: deletesAll ? deleteAll : deleteOne,
  },
];

async function deleteAll(scope: DeviceScope) {
  await scope.delete(logs, {});
  return emptyReply;
}

async function deleteOne(scope: DeviceScope, call: Call) {
  const deleted = await scope.delete(logs, { where: { id: parseId(call.params.log, 'Log') } });
  if (deleted.length === 0) throw notFound('Log');
  return emptyReply;
}
