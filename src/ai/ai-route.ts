import { Failure, invalid } from '../core/errors.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { Table } from '../db/table.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import { failureSchema, fieldFailuresSchema } from '../engine/failure-schemas.ts';
import { bigint, text } from '../engine/fields.ts';
import { show } from '../engine/records.ts';
import { objectBody } from '../engine/resource-routes.ts';
import type { Call, DeviceRoute } from '../engine/route.ts';
import { StreamedReply } from '../engine/route.ts';
import { inputSchema } from '../engine/schemas.ts';
import { sequences } from '../programs/sequences.ts';
import { countQuestion } from './ai-usages.ts';
import { answerStream } from './answer-stream.ts';
import type { LanguageModel, ModelMessage } from './language-model.ts';
import { ModelError } from './model-error.ts';
import type { PinName } from './prompts.ts';
import { luaPrompt, summaries, summaryPrompt } from './prompts.ts';

/** A garden's table of things on pins. */
type PinTable = Table<{ readonly id: number; readonly label: string; readonly pin: number }, 'device'>;

/** What questions to a model need from elsewhere. */
export interface AiServices {
  /** Null: none is set up. */
  readonly model: LanguageModel | null;
  readonly notify: (
    scope: DeviceScope,
    notice: { readonly message: string; readonly type: 'error' | 'warn'; readonly channels: readonly string[] },
  ) => Promise<void>;
  /** The language of the signed-in user, in words; null if unknown. */
  readonly languageOf: (scope: DeviceScope) => Promise<string | null>;
  readonly peripherals: PinTable;
  readonly sensors: PinTable;
  readonly tools: Table<{ readonly id: number; readonly name: string }, 'device'>;
}

/** Things of one kind that a model is told of at most. */
const mostThings = 100;
/** Characters of what somebody asks for. */
const longestWish = 5000;

const fields = {
  prompt: text()
    .nullable()
    .emptyAllowed()
    .max(longestWish, 'field')
    .describe('What a script shall do. Looked at only without `sequence_id`.'),
  context_key: text()
    .nullable()
    .emptyAllowed()
    .describe('`title`, `color` or `description` of a sequence. Without `sequence_id` it is always `lua`.'),
  sequence_id: bigint()
    .nullable()
    .describe('The sequence that the question is about. Null: a script is to be written.'),
};

/**
 * `POST /api/ai`: has a language model write a script, or name and describe a sequence. The answer is the model's text, in
 * pieces as they come, without any framing. Nothing of questions and answers is stored or logged. [reference 11.1]
 */
export const aiRoute = (services: AiServices): DeviceRoute => ({
  access: 'token',
  tag: 'ai',
  method: 'POST',
  path: '/api/ai',
  summary: 'Have a language model write a script, or name or describe a sequence',
  transaction: false,
  body: { rule: 'object', schema: inputSchema(fields, 'create', 'AI question') },
  replies: { 200: 'text', 403: failureSchema, 404: failureSchema, 422: fieldFailuresSchema },
  async handle(scope, call) {
    const messages = await question(scope, call, services);
    if (!(await countQuestion(scope)))
      throw new Failure('forbidden', 'You asked the language model very often. Please try again later.');
    return answer(scope, call, messages, services);
  },
});

/** What the model is asked. Throws 404, 422. */
async function question(scope: DeviceScope, call: Call, services: AiServices): Promise<readonly ModelMessage[]> {
  const reading = parseBody(fields, objectBody(call), 'create');
  assertValid(reading);
  const { prompt, context_key, sequence_id } = reading.values;
  if (typeof sequence_id === 'number') {
    const summary = summaries.find((each) => each === context_key);
    if (!summary) throw invalid({ context_key: `Context Key must be one of ${summaries.join(', ')} for a sequence.` });
    const sequence: unknown = JSON.parse(await show(scope, sequences, sequence_id));
    return summaryPrompt(summary, { ...(sequence as object) }, await languageOf(scope, services));
  }
  const wish = typeof prompt === 'string' ? prompt.trim() : '';
  if (wish === '') throw invalid({ prompt: 'Prompt must say what the script shall do.' });
  const [peripherals, sensors] = await Promise.all([
    pinNames(scope, services.peripherals),
    pinNames(scope, services.sensors),
  ]);
  const tools = (await scope.rows(services.tools, { limit: mostThings })).map(({ name, id }) => ({ name, id }));
  return luaPrompt(wish, { peripherals, sensors, tools }, await languageOf(scope, services));
}

const languageOf = async (scope: DeviceScope, services: AiServices): Promise<string> =>
  (await services.languageOf(scope)) ?? 'English';

const pinNames = async (scope: DeviceScope, table: PinTable): Promise<PinName[]> =>
  (await scope.rows(table, { limit: mostThings })).map(({ label, pin }) => ({ name: label, pin_number: pin }));

/** Asks, and answers once the first piece is there. Throws 422 when none comes. */
async function answer(
  scope: DeviceScope,
  call: Call,
  messages: readonly ModelMessage[],
  { model, notify }: AiServices,
): Promise<StreamedReply> {
  if (!model) throw upstream(new ModelError('none'));
  const gone = new AbortController();
  // Until there is something to answer, only the connection tells that nobody waits any more.
  void call.responseSent.then(() => gone.abort());
  const note = (error: unknown, type: 'error' | 'warn'): ModelError => {
    const failure = error instanceof ModelError ? error : new ModelError('malformed');
    if (gone.signal.aborted) return failure;
    const { problem, code, logMessage } = failure;
    scope.log.warn({ device: scope.deviceId, problem, code }, 'the language model failed');
    notify(scope, { message: logMessage, type, channels: ['toast'] }).catch((reason: unknown) =>
      scope.log.warn({ device: scope.deviceId, reason: String(reason) }, 'a notice could not be stored'),
    );
    return failure;
  };
  const pieces = model.answer(messages, gone.signal);
  const first = await pieces.next().catch((error: unknown) => {
    throw upstream(note(error, 'error'));
  });
  // An answer that is over has had a piece, else it would have failed.
  const content = answerStream(first.value ?? '', pieces, {
    broken: (error) => note(error, 'warn'),
    closed: () => gone.abort(),
  });
  return new StreamedReply(content, 'text/event-stream', {
    headers: {
      'last-modified': new Date(scope.clock.now()).toUTCString(),
      // Proxies of the nginx family would gather the pieces.
      'x-accel-buffering': 'no',
    },
  });
}

/** 422 in the form that clients know from services of this kind. [reference 11.1] */
const upstream = ({ message }: ModelError): Failure => invalid({ error: { message } });
