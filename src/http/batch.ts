import type { FieldFailures } from '../core/errors.ts';
import { Failure, invalid, refused, throttled } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import type { Message } from '../core/message.ts';
import { yieldToRequests } from '../core/request-pause.ts';
import type { DeviceScope } from '../db/scope.ts';
import { failureSchema } from '../engine/failure-schemas.ts';
import { labelOf } from '../engine/field-label.ts';
import { sayOfField } from '../engine/field-messages.ts';
import { Type } from '../engine/json-schema.ts';
import { partCall } from '../engine/part-call.ts';
import { parseId } from '../engine/resource-routes.ts';
import type { DeviceRoute } from '../engine/route.ts';
import { mayBePart, Reply, repeated } from '../engine/route.ts';
import { staleReply } from '../engine/singleton-routes.ts';
import type { HttpContext, PreparedRoute, RouteMatch } from './context.ts';
import { Exchange } from './exchange.ts';
import { say } from './messages.ts';
import { assertAllowed } from './pipeline.ts';
import { toReply } from './responses.ts';
import { assertStrictlyValid, isStrict } from './strict-handling.ts';
import { loggedPath } from './url.ts';

/** Maximum length of a text that replaces a reference, in characters: a batch may contain many references. */
const maxTextLength = 1000;

/** `$1.id` in a path. */
const pathReference = /\$(\d{1,3}(?:\.\w{1,100}){1,10})/g;
const bodyReference = /^\d{1,3}(?:\.\w{1,100}){1,10}$/;

type Scalar = string | number | boolean | null;

const isScalar = (value: unknown): value is Scalar =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);

/** The responses to the earlier requests of a batch, to which later ones may refer: `1.id` is the field `id` of the first response, `2.0.id` the one of the first record of the second one. */
class BatchAnswers {
  readonly #texts: string[] = [];
  /** The bodies to which references were resolved. */
  readonly #bodies = new Map<number, unknown>();
  /** The responses as elements of a JSON array. */
  readonly #elements: string[] = [];
  /** The size of all bodies, in bytes. */
  size = 0;

  add({ status, text }: Reply): void {
    this.#texts.push(text);
    this.#elements.push(`{"status":${status},"body":${text === '' ? 'null' : text}}`);
    this.size += Buffer.byteLength(text);
  }

  /** All responses as JSON. */
  toJson(): string {
    return `[${this.#elements.join(',')}]`;
  }

  /** Returns values of a path or query with references replaced. Throws 422. */
  inPath(values: Readonly<Record<string, string>>): Record<string, string> {
    const replace = (_: string, reference: string): string => {
      const value = this.#find(reference, (message) => ({ path: message }));
      return String(value);
    };
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, value.replace(pathReference, replace)]),
    );
  }

  /** Returns a body in which values `{"$ref": "1.id"}` are replaced. Throws 422. */
  inBody(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.inBody(each));
    if (!isObject(value)) return value;
    const keys = Object.keys(value);
    if (keys.length === 1 && keys[0] === '$ref') return this.#referred(value.$ref);
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.inBody(each)]));
  }

  #referred(reference: unknown): Scalar {
    const fail = (message: Message): FieldFailures => ({ $ref: message });
    if (typeof reference !== 'string' || !bodyReference.test(reference)) throw invalid(fail(say.reference));
    return this.#find(reference, fail);
  }

  #find(reference: string, failure: (message: Message) => FieldFailures): Scalar {
    const [part = '', ...names] = reference.split('.');
    const text = this.#texts[Number(part) - 1];
    if (text === undefined) throw invalid(failure(say.noEarlierPart(reference)));
    const index = Number(part) - 1;
    if (!this.#bodies.has(index)) this.#bodies.set(index, text === '' ? null : JSON.parse(text));
    let value = this.#bodies.get(index);
    for (const name of names)
      value =
        typeof value === 'object' && value !== null && Object.hasOwn(value, name)
          ? Reflect.get(value, name)
          : undefined;
    if (!isScalar(value) || (typeof value === 'string' && value.length > maxTextLength))
      throw invalid(failure(say.notScalar(reference, maxTextLength)));
    return value;
  }
}

const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'];
const maxParts = 100;
/** Bytes of the answers of all parts. */
const maxAnswerSize = 8 * 1024 * 1024;
/** Parts that are carried out without yielding to the event loop. */
const partsAtOnce = 10;

/** One request of a batch. */
interface Part {
  readonly number: number;
  /** For messages. */
  readonly name: string;
  readonly prepared: PreparedRoute;
  readonly route: DeviceRoute;
  readonly match: RouteMatch;
  readonly method: string;
  readonly body: unknown;
}

const partSchema = Type.Object(
  {
    method: Type.OneOf(methods),
    path: Type.String({ description: 'With its query. `$1.id` is the field `id` of the answer to the first part.' }),
    body: Type.Optional(
      Type.Unknown({ description: 'A value `{"$ref": "1.id"}` is the field `id` of the answer to the first part.' }),
    ),
  },
  {
    $id: 'BatchPart',
    examples: [{ method: 'POST', path: '/api/tools', body: { name: 'Rake' } }],
  },
);

const answerSchema = Type.Object(
  {
    status: Type.Integer({ description: 'The status that the request alone would have had.' }),
    body: Type.Unknown({ description: 'The body that the request alone would have had; null if it is empty.' }),
  },
  { $id: 'BatchAnswer', examples: [{ status: 200, body: { id: 1, name: 'Rake', status: 'inactive' } }] },
);

const conflictSchema = Type.Union([failureSchema, staleReply], {
  examples: [{ stale_record: 'Part 2 (PATCH /api/fbos_config): This record was changed in the meantime.' }],
});

/** `POST /api/batch`: several requests in one transaction. [ADR 60] */
export const batchRoute: DeviceRoute = {
  access: 'token',
  method: 'POST',
  path: '/api/batch',
  tag: 'Server',
  summary: 'Carry out several requests, all or none',
  description:
    'Carries out up to 100 requests in their order, in one transaction, and returns their answers. If one fails, none is carried out, and the error names its number. Operations marked `x-batch` can be part of a batch; each needs its own rights and counts as a request. The answers together have at most 8 MiB.',
  addition: true,
  role: 'viewer',
  scope: 'any',
  body: { rule: 'any', schema: Type.Array(partSchema, { minItems: 1, maxItems: maxParts }) },
  replies: { 200: Type.Array(answerSchema), 404: failureSchema, 409: conflictSchema },
  // Parts are parsed and counted before the transaction.
  transaction: false,
  async handle(scope, call) {
    if (!(call instanceof Exchange)) throw new Error('a batch is a request of its own');
    const parts = parseParts(call);
    for (const part of parts) assertPart(call, part);
    return scope.transaction((inner) => carryOut(inner, call, parts));
  },
};

/** Parses the parts and finds their routes. Throws 422 with the problems of all parts. */
function parseParts({ body, context }: Exchange): Part[] {
  if (!Array.isArray(body) || body.length === 0 || body.length > maxParts)
    throw new Failure('not_json', say.batchBody(maxParts));
  const parts: Part[] = [];
  const failures: FieldFailures = {};
  for (const [index, sent] of body.entries()) {
    const parsed = parsePart(index + 1, sent, context);
    if ('part' in parsed) parts.push(parsed.part);
    else failures[index + 1] = parsed.failures;
  }
  if (Object.keys(failures).length > 0) throw invalid(failures);
  return parts;
}

function parsePart(
  number: number,
  sent: unknown,
  context: HttpContext,
): { readonly part: Part } | { readonly failures: FieldFailures } {
  const fail = (failures: FieldFailures) => ({ failures });
  if (!isObject(sent)) return fail({ error: say.part });
  const { method, path, body } = sent;
  if (typeof method !== 'string' || !methods.includes(method.toUpperCase()))
    return fail({ method: sayOfField.oneOf(labelOf('method'), methods.join(', ')) });
  if (typeof path !== 'string' || !path.startsWith('/api/')) return fail({ path: say.partPath });
  const name = `${method.toUpperCase()} ${loggedPath(path)}`;
  const found = context.findRoute(method.toUpperCase(), path);
  const route = found?.route.route;
  if (!found || !route) return fail({ path: say.partNotFound(name) });
  if (!mayBePart(route)) return fail({ path: say.notPart(name) });
  return {
    part: { number, name, prepared: found.route, match: found.match, route, method: method.toUpperCase(), body },
  };
}

/** Checks the rights to a part, and counts it as a request. Throws 403, 429. */
function assertPart(call: Exchange, part: Part): void {
  const { limits, options } = call.context;
  try {
    assertAllowed(part.prepared, call.session);
    const wait = limits?.consume(call, part.prepared.limit, options.clock.now()) ?? 0;
    if (wait > 0) throw throttled(wait);
  } catch (error) {
    throw failureOf(part, error);
  }
}

async function carryOut(scope: DeviceScope, call: Exchange, parts: readonly Part[]): Promise<Reply> {
  const answers = new BatchAnswers();
  for (const part of parts) {
    if (part.number % partsAtOnce === 0) await yieldToRequests();
    try {
      const reply = await carryOutPart(scope, call, part, answers);
      call.context.options.onReply?.(part.route, reply.status, reply.type, reply.text);
      answers.add(reply);
      if (answers.size > maxAnswerSize) throw refused(say.answersTooLarge);
    } catch (error) {
      throw failureOf(part, error);
    }
  }
  return new Reply(answers.toJson());
}

async function carryOutPart(scope: DeviceScope, call: Exchange, part: Part, answers: BatchAnswers): Promise<Reply> {
  const { prepared, route, match } = part;
  const params = answers.inPath(match.params);
  const body = answers.inBody(part.body);
  if (prepared.hasId) parseId(params.id, 'Record');
  const rule = route.body?.rule ?? 'json';
  if (rule !== 'json' && !isObject(body) && (rule !== 'optional' || body !== undefined))
    throw new Failure('not_json', say.partBody);
  const names = match.query[repeated];
  const query = { ...answers.inPath(match.query), ...(names && { [repeated]: names }) };
  if (isStrict(call)) assertStrictlyValid(route, { query, body });
  const reply = toReply(await route.handle(scope, partCall(call, { method: part.method, params, query, body })), call);
  if (reply instanceof Reply) return reply;
  reply.content.destroy();
  throw new Error(`${part.name} returned a stream`);
}

/** The error of the whole batch: the error of the part, with its number. */
function failureOf({ number, name }: Part, error: unknown): unknown {
  if (!(error instanceof Failure)) return error;
  const { code, sentence, fields, places, wait } = error;
  if (fields) return invalid({ [number]: fields });
  const details = { wait, ...(places && { places: { [number]: places } }) };
  return new Failure(code, say.ofPart(number, name, sentence), details);
}
