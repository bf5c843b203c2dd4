import type { FieldFailures } from '../core/errors.ts';
import { Failure, invalid } from '../core/errors.ts';
import { failureSchema, fieldFailuresSchema } from '../engine/failure-schemas.ts';
import { Type } from '../engine/json-schema.ts';
import { repetitionProblem } from '../engine/query.ts';
import type { ResourceRights } from '../engine/rights.ts';
import type { Call, DeviceRoute } from '../engine/route.ts';
import { StreamedReply } from '../engine/route.ts';
import { eventSchema } from './event-schemas.ts';
import type { EventFilter, LiveChannel } from './event-stream.ts';
import { liveChannels, mayReadLive } from './event-stream.ts';
import { say } from './messages.ts';
import { maxMemberStreams, maxMembersStreams, maxStreams, type StreamRegistry } from './stream-registry.ts';
import { issueTicket } from './stream-tickets.ts';

const common = { access: 'token', tag: 'Device', addition: true, role: 'viewer', scope: 'any' } as const;

const liveNames = Object.keys(liveChannels) as readonly LiveChannel[];

const query = Type.Object({
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'The id of the last event that the client has. The header `Last-Event-ID` takes precedence.',
    }),
  ),
  resources: Type.Optional(
    Type.String({
      description: 'Names of resources, separated by commas; none if it is empty, all by default.',
      examples: ['Point,Sequence'],
    }),
  ),
  live: Type.Optional(
    Type.String({
      description:
        'What else is sent, separated by commas: `status` and `telemetry`, which the robot sends, and `logs`, also those that were sent over HTTP or written by the server.',
      examples: ['status,logs'],
    }),
  ),
  ticket: Type.Optional(Type.String({ description: 'A ticket instead of a token, for `EventSource` in browsers.' })),
});

const ticketSchema = Type.Object(
  { ticket: Type.String(), expires_at: Type.String({ format: 'date-time' }) },
  {
    $id: 'EventTicket',
    examples: [{ ticket: 'Jq0v1yDkmk1n9m5T2c0WcAJhPp8uXk3e', expires_at: '2026-04-01T08:00:30.000Z' }],
  },
);

/** Returns the routes of event streams. */
export const streamRoutes = (registry: StreamRegistry, rights: ResourceRights): readonly DeviceRoute[] => [
  {
    ...common,
    method: 'GET',
    path: '/api/events',
    takesTicket: true,
    summary: 'Receive changes as they happen',
    description: `Streams the changes of the garden's records as server-sent events, in their order, and what the robot says if \`live\` names it. The id of an event is that of the change: a client that sends the last one continues there. The first event, \`start\`, has the id after which the stream begins. If the server does not have all changes since, one event \`reset\` says that the client must read everything again. The stream ends with the token. A garden has at most ${maxStreams} streams; members who are not owners have ${maxMemberStreams} each, and ${maxMembersStreams} together.`,
    query,
    replies: { 200: 'text', 403: failureSchema, 422: fieldFailuresSchema, 429: failureSchema },
    streamedType: 'text/event-stream',
    streamedSchema: eventSchema(rights.names),
    async handle(_scope, call) {
      const { content, started } = registry.open(call.session, parseFilter(call, rights));
      // Commits after the head of the response was sent are part of the stream.
      await started;
      // nginx would buffer the response.
      return new StreamedReply(content, 'text/event-stream', { headers: { 'x-accel-buffering': 'no' } });
    },
  },
  {
    ...common,
    method: 'POST',
    path: '/api/events/ticket',
    summary: 'Make a ticket for a stream of changes',
    description:
      'Returns a ticket that opens one stream within 30 seconds, with the rights of the token: `EventSource` in browsers cannot send a token. To reconnect, make another one, and send the id of the last event as `after`.',
    replies: { 200: ticketSchema, 429: failureSchema },
    handle: (scope, { session }) => issueTicket(scope, session),
  },
];

/** Parses the query. Throws 403 for kinds that the token may not read, and 422. */
function parseFilter({ query, headers, session }: Call, rights: ResourceRights): EventFilter {
  const failures: FieldFailures = {};
  for (const each of ['after', 'resources', 'live']) {
    const problem = repetitionProblem(query, each);
    if (problem) failures[each] = problem.failure;
  }
  const sent = headers['last-event-id'];
  const [name, position] = typeof sent === 'string' && sent !== '' ? ['Last-Event-ID', sent] : ['after', query.after];
  if (position !== undefined && !/^\d{1,15}$/.test(position)) failures[name] = say.eventId(name);
  const resources = parseNames('resources', query.resources, rights.names, failures);
  const live = parseNames('live', query.live, liveNames, failures) ?? [];
  if (Object.keys(failures).length > 0) throw invalid(failures);
  const isReadable = rights.readable(session.rights);
  const forbidden =
    resources?.find((each) => !isReadable(each)) ?? live.find((each) => !mayReadLive(session.rights, each));
  if (forbidden !== undefined) throw new Failure('forbidden', say.notReadable(forbidden));
  return {
    after: position === undefined ? null : Number(position),
    resources: resources && new Set(resources),
    live: new Set(live),
  };
}

/** Parses names that are separated by commas; null if they were not sent. */
function parseNames<Name extends string>(
  field: string,
  text: string | undefined,
  names: readonly Name[],
  failures: FieldFailures,
): readonly Name[] | null {
  if (text === undefined) return null;
  const sent = text.split(',').filter((each) => each !== '');
  const known = sent.filter((each): each is Name => names.some((name) => name === each));
  if (known.length < sent.length) failures[field] = say.names(field, names.join(', '));
  return known;
}
