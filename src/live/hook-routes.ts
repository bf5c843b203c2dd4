import { parse } from 'node:querystring';
import type { TSchema } from 'typebox';
import Type from 'typebox';
import { addressRanges } from '../core/address-ranges.ts';
import { isJsonContentType } from '../core/content-type.ts';
import { Failure } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import { failureSchema } from '../engine/failure-schemas.ts';
import type { Call, PublicRoute, Route } from '../engine/route.ts';
import { Reply } from '../engine/route.ts';
import type { BrokerAccess } from './access.ts';
import { adminName, guestName } from './access.ts';
import { demoName, needsPermission } from './topic-permissions.ts';

/** Bytes of a question; RabbitMQ's have a token of about 1 KiB and little else. */
const longestQuestion = 64 * 1024;
/** Fields of a form that are read. */
const mostFields = 200;

const text = (status: number, words: string): Reply => new Reply(words, 'text/plain; charset=utf-8', status);

/** RabbitMQ reads the text with 200 only; other callers look at the status. [reference 12.2] */
const allow = text(200, 'allow');
const allowAdmin = text(200, 'allow management administrator');
const deny = text(403, 'deny');
const malformedTopic = text(422, 'malformed topic');

const answers = { allow, deny, malformed: malformedTopic } as const;

/** The fields of a question; those that are lists or objects are as good as missing. */
type Question = ReadonlyMap<string, string>;

/** Gives a field that the rule needs; present but empty is a value. Throws 400. */
function needed(question: Question, name: string): string {
  const value = question.get(name);
  if (value === undefined) throw new Failure('bad_request', `The parameter ${name} is missing.`);
  return value;
}

const isForm = (type: string): boolean => /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type);

/** The question in a body and a query alike; the body counts more, and of repeated fields the last. Throws 422 for broken JSON. [reference 12.2] */
function questionOf({ headers, body, rawBody, query }: Call): Question {
  const question = new Map<string, string>(Object.entries(query));
  const sent = headers['content-type'];
  const type = typeof sent === 'string' ? sent : '';
  const add = (fields: Readonly<Record<string, unknown>>): void => {
    for (const [name, value] of Object.entries(fields)) {
      const last: unknown = isForm(type) && Array.isArray(value) ? value.at(-1) : value;
      if (typeof last === 'string' || typeof last === 'number' || typeof last === 'boolean')
        question.set(name, String(last));
    }
  };
  if (isForm(type)) add(parse(rawBody.toString('utf8'), '&', '=', { maxKeys: mostFields }));
  else if (isObject(body)) add(body);
  else if (isJsonContentType(type) && body === undefined && rawBody.toString('utf8').trim() !== '')
    throw new Failure('malformed_json');
  return question;
}

const field = (about: string): TSchema => Type.String({ description: about });
const username = field('`device_<id>`, or one of the names `admin`, `farmbot_demo` and `guest`.');
const permission = (words: readonly string[]): TSchema =>
  Type.String({ description: `What is to be done: ${words.map((word) => `\`${word}\``).join(', ')}.` });

/** What RabbitMQ's HTTP authentication asks: `POST /api/rmq/user`, `vhost`, `resource`, `topic`. `hooksFrom`: the addresses that may ask, as the setting has them; null: all. [Spec Broker hooks] [decision 2] */
export function hookRoutes(access: BrokerAccess, { hooksFrom }: { readonly hooksFrom: string | null }): Route[] {
  const mayAsk = hooksFrom === null ? () => true : addressRanges(hooksFrom);

  const hook = (
    name: string,
    summary: string,
    fields: Readonly<Record<string, TSchema>>,
    answer: (question: Question, username: string, call: Call) => Promise<Reply>,
  ): PublicRoute => ({
    method: 'POST',
    path: `/api/rmq/${name}`,
    tag: 'broker',
    access: 'public',
    acceptsAnyVersion: true,
    transaction: false,
    rateLimit: 'none',
    maxBodySize: longestQuestion,
    summary,
    body: {
      rule: 'any',
      schema: Type.Object(
        { username, ...fields },
        { description: 'Sent as a form, as JSON or in the query alike. Further fields do not matter.' },
      ),
    },
    replies: {
      200: 'text',
      400: failureSchema,
      ...(name === 'user' && { 401: failureSchema }),
      403: 'text',
      ...(name === 'topic' && { 422: 'text' }),
    },
    async handle(_scope, call) {
      if (!mayAsk(call.address)) {
        access.refuse('hooks_address', { username: '', address: call.address });
        return deny;
      }
      const question = questionOf(call);
      return answer(question, needed(question, 'username'), call);
    },
  });

  return [
    hook(
      'user',
      'May this user sign in to the message broker?',
      {
        password: field('A session token; for `admin` the password from the settings.'),
        client_id: Type.Optional(Type.String()),
      },
      async (question, name, { address }) => {
        const needsNone = name === guestName || name === demoName;
        const password = needsNone ? (question.get('password') ?? '') : needed(question, 'password');
        const clientId = question.get('client_id') ?? null;
        const result = await access.login({ username: name, password, clientId, address });
        if (result.verdict === 'deny') return deny;
        if (result.verdict === 'allow') return result.user.role === 'admin' ? allowAdmin : allow;
        throw new Failure('unauthenticated', 'The password is not a valid session token.');
      },
    ),
    hook(
      'vhost',
      'May this user enter this virtual host?',
      { vhost: field('The name of the virtual host.') },
      async (question, name) => {
        if (name === adminName) return allow;
        return answers[await access.vhost(name, needed(question, 'vhost'))];
      },
    ),
    hook(
      'resource',
      'May this user use queues and exchanges?',
      { resource: field('`queue` or `exchange`.'), permission: permission(['configure', 'write', 'read']) },
      async (question, name) => {
        if (name === adminName) return allow;
        const resource = needed(question, 'resource');
        const isKnown = resource === 'queue' || resource === 'exchange';
        return answers[await access.resource(name, resource, isKnown ? needed(question, 'permission') : undefined)];
      },
    ),
    hook(
      'topic',
      'May this user read or write this topic?',
      {
        routing_key: field('The topic in the form of AMQP: `bot.device_5.logs`.'),
        permission: permission(['write', 'read']),
      },
      async (question, name) => {
        if (name === adminName) return allow;
        const key = needed(question, 'routing_key');
        const doing = needsPermission(name, key) ? needed(question, 'permission') : (question.get('permission') ?? '');
        return answers[await access.topic(name, doing, key)];
      },
    ),
  ];
}
