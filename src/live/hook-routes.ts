import { parse } from 'node:querystring';
import { isJsonContentType } from '../core/content-type.ts';
import { addressNotFound, Failure } from '../core/errors.ts';
import { addressRanges, isLoopback } from '../core/ip-addresses.ts';
import { isObject } from '../core/json.ts';
import { failureSchema } from '../engine/failure-schemas.ts';
import type { JsonSchema, SchemaProperties } from '../engine/json-schema.ts';
import { Type } from '../engine/json-schema.ts';
import type { Call, PublicRoute, Route } from '../engine/route.ts';
import { Reply } from '../engine/route.ts';
import type { BrokerAccess } from './access.ts';
import { adminName, guestName } from './access.ts';
import { say } from './messages.ts';
import { robotTag, tagsOfToken, tokenOfTags } from './token-tags.ts';
import { demoName, dependsOnOperation } from './topic-permissions.ts';
import { rightsOfTags, tagsOf } from './topic-rights.ts';
import { deviceIdOf } from './topics.ts';

/** Matches keys of subscriptions to the announcements of a device. */
const announcementKeys = /^bot\.[^.]+\.(?:#|\*\.#|sync(?:\.|$))/;

/** Maximum body size, in bytes; RabbitMQ sends a token of about 1 KiB and little else. */
const maxBodySize = 64 * 1024;
/** Fields of a form that are parsed. */
const maxFormFields = 200;

const textReply = (status: number, body: string): Reply => new Reply(body, 'text/plain; charset=utf-8', status);

const allow = textReply(200, 'allow');
const allowAdmin = textReply(200, 'allow management administrator');
const deny = textReply(403, 'deny');
const malformedTopic = textReply(422, 'malformed topic');

/** [rule M1] */
const replies = { allow, deny, malformed: malformedTopic } as const;

/** The parameters of a request. Lists and objects count as missing. */
type Parameters = ReadonlyMap<string, string>;

/** Returns a required parameter, which may be empty. Throws 400. [rule M12] */
function required(parameters: Parameters, name: string): string {
  const value = parameters.get(name);
  if (value === undefined) throw new Failure('bad_request', say.noParameter(name));
  return value;
}

const isForm = (type: string): boolean => /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type);

/** Returns the parameters in query and body; the body has precedence, and of repeated fields the last one. Throws 422 for malformed JSON. [rule M12] */
function parametersOf({ headers, body, rawBody, query }: Call): Parameters {
  const parameters = new Map<string, string>(Object.entries(query));
  const contentType = headers['content-type'];
  const type = typeof contentType === 'string' ? contentType : '';
  const add = (fields: Readonly<Record<string, unknown>>): void => {
    for (const [name, value] of Object.entries(fields)) {
      const last: unknown = isForm(type) && Array.isArray(value) ? value.at(-1) : value;
      if (typeof last === 'string' || typeof last === 'number' || typeof last === 'boolean')
        parameters.set(name, String(last));
    }
  };
  if (isForm(type)) add(parse(rawBody.toString('utf8'), '&', '=', { maxKeys: maxFormFields }));
  else if (isObject(body)) add(body);
  else if (isJsonContentType(type) && body === undefined && rawBody.toString('utf8').trim() !== '')
    throw new Failure('malformed_json');
  return parameters;
}

const field = (description: string, example: string): JsonSchema => Type.String({ description, examples: [example] });
const username = field('`device_{id}`, `admin`, `farmbot_demo` or `guest`.', 'device_1');
const permission = (values: readonly string[]): JsonSchema =>
  Type.String({
    description: `The operation: ${values.map((value) => `\`${value}\``).join(', ')}.`,
    examples: ['read'],
  });

/** Returns the routes of RabbitMQ's HTTP authentication backend. `hookAddresses`: address ranges that may use them; null: programs on this machine only, because refusals are reported to the device's owner. [rule M1, decision 2, 63] */
export function hookRoutes(
  access: BrokerAccess,
  hookAddresses: string | null,
  onRobotSubscribed: (deviceId: number) => void,
): Route[] {
  const isAllowedAddress = hookAddresses === null ? null : addressRanges(hookAddresses);
  // A loopback address in the list means programs on this machine, not all clients of a proxy on it.
  const isAllowed = ({ address, hidesClient, isLocal }: Call): boolean =>
    isAllowedAddress ? isAllowedAddress(address) && !(hidesClient && isLoopback(address)) : isLocal;

  const hook = (
    name: string,
    summary: string,
    fields: SchemaProperties,
    respond: (parameters: Parameters, username: string, call: Call) => Reply | Promise<Reply>,
  ): PublicRoute => ({
    method: 'POST',
    path: `/api/rmq/${name}`,
    tag: 'Message broker',
    access: 'public',
    acceptsAnyVersion: true,
    transaction: false,
    rateLimit: 'none',
    maxBodySize,
    summary,
    description:
      'RabbitMQ sends this request of its HTTP authentication backend and expects `allow` or `deny`. Fields come as a form, as JSON or in the query.',
    textExamples: { 200: 'allow', 403: 'deny', 422: 'deny' },
    body: {
      rule: 'any',
      schema: Type.Object({ username, ...fields }),
    },
    replies: {
      200: 'text',
      400: failureSchema,
      ...(name === 'user' && { 401: failureSchema }),
      403: 'text',
      404: failureSchema,
      ...(name === 'topic' && { 422: 'text' }),
    },
    async handle(_scope, call) {
      if (!isAllowed(call)) {
        access.reject('hooks_address', { username: '', address: call.address });
        if (isAllowedAddress) return deny;
        throw addressNotFound();
      }
      const parameters = parametersOf(call);
      return respond(parameters, required(parameters, 'username'), call);
    },
  });

  return [
    hook(
      'user',
      'Checks whether a user may sign in to the message broker.',
      {
        password: field(
          'A session token; for `admin` the password from the settings.',
          'eyJhbGciOiJSUzI1NiJ9.eyJqdGkiOiIwYjlmM2E1MiJ9.c2lnbmF0dXJl',
        ),
        client_id: Type.Optional(Type.String()),
      },
      async (parameters, name, { address }) => {
        const needsNoPassword = name === guestName || name === demoName;
        const password = needsNoPassword ? (parameters.get('password') ?? '') : required(parameters, 'password');
        const clientId = parameters.get('client_id') ?? null;
        const result = await access.authenticate({ username: name, password, clientId, address });
        if (result.verdict === 'deny') return deny;
        if (result.verdict === 'allow') {
          const { role, rights, reference, isRobot, isHosted } = result.user;
          const robotTags = isRobot && !isHosted ? [robotTag] : [];
          const tags = [...tagsOf(rights), ...(reference ? [...robotTags, ...tagsOfToken(reference)] : [])];
          return role === 'admin' ? allowAdmin : textReply(200, ['allow', ...tags].join(' '));
        }
        throw new Failure('unauthenticated', say.noToken);
      },
    ),
    hook(
      'vhost',
      'Checks whether a user may use a virtual host.',
      { vhost: field('The name of the virtual host.', '/') },
      (parameters, name) =>
        name === adminName ? allow : replies[access.checkVhost(name, required(parameters, 'vhost'))],
    ),
    hook(
      'resource',
      'Checks whether a user may use a queue or an exchange.',
      { resource: field('`queue` or `exchange`.', 'queue'), permission: permission(['configure', 'write', 'read']) },
      (parameters, name) => {
        if (name === adminName) return allow;
        const resource = required(parameters, 'resource');
        const isKnown = resource === 'queue' || resource === 'exchange';
        const operation = isKnown ? required(parameters, 'permission') : undefined;
        return replies[access.checkResource(name, resource, operation)];
      },
    ),
    hook(
      'topic',
      'Checks whether a user may read or write a topic.',
      {
        routing_key: field('The topic in AMQP notation: `bot.device_5.logs`.', 'bot.device_1.logs'),
        permission: permission(['write', 'read']),
        tags: Type.Optional(
          Type.String({ description: 'What followed `allow` when the user signed in.', examples: ['viewer'] }),
        ),
      },
      async (parameters, name) => {
        if (name === adminName) return allow;
        const key = required(parameters, 'routing_key');
        const operation = dependsOnOperation(name, key)
          ? required(parameters, 'permission')
          : (parameters.get('permission') ?? '');
        const tags = parameters.get('tags') ?? '';
        const verdict = await access.checkTopic(name, operation, key, rightsOfTags(tags), tokenOfTags(tags));
        const deviceId = deviceIdOf(name);
        const isOfRobot = operation === 'read' && tags.split(' ').includes(robotTag);
        if (verdict === 'allow' && deviceId !== null && isOfRobot && announcementKeys.test(key))
          onRobotSubscribed(deviceId);
        return replies[verdict];
      },
    ),
  ];
}
