import type { AccountsOffer } from '../accounts/offer.ts';
import type { LocalText } from '../core/catalog.ts';
import { Failure, invalid } from '../core/errors.ts';
import { messagesIn } from '../core/message.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { Gardens } from '../device/gardens.ts';
import type { DeviceOffer } from '../device/offer.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import { failureSchema, fieldFailuresSchema } from '../engine/failure-schemas.ts';
import { labelOf } from '../engine/field-label.ts';
import { bigint, text } from '../engine/fields.ts';
import { show } from '../engine/records.ts';
import { objectBody } from '../engine/resource-routes.ts';
import type { Call, DeviceRoute } from '../engine/route.ts';
import { StreamedReply } from '../engine/route.ts';
import { inputSchema, withExample } from '../engine/schemas.ts';
import type { GardenOffer } from '../garden/offer.ts';
import { sequences } from '../programs/sequences.ts';
import { countQuestion } from './ai-usages.ts';
import { answerStream } from './answer-stream.ts';
import type { LanguageModel, ModelMessage } from './language-model.ts';
import { ModelError } from './model-error.ts';
import type { PinName } from './prompts.ts';
import { luaPrompt, summaries, summaryPrompt } from './prompts.ts';

/** The dependencies of the route. */
export interface AiServices {
  /** Null if none is configured. */
  readonly model: LanguageModel | null;
  readonly device: DeviceOffer;
  readonly garden: GardenOffer;
  readonly accounts: AccountsOffer;
  readonly gardens: Gardens;
  /** Questions of all accounts together, per day. */
  readonly dailyQuestions: number;
}

const say = messagesIn({
  en: {
    demo: 'Demo accounts cannot ask the language model.',
    server: 'This server has asked the language model too often today. Please try again tomorrow.',
    user: 'Too many questions to the language model. Please try again later.',
    oneOf: (field: string, summaries: string) => `${field} must be one of ${summaries} for a sequence.`,
    prompt: 'Prompt must say what the script should do.',
  },
  fr: {
    demo: 'Un compte de démonstration ne peut pas interroger le modèle de langage.',
    server: 'Ce serveur a trop interrogé le modèle de langage aujourd’hui. Réessayez demain.',
    user: 'Trop de questions au modèle de langage. Réessayez plus tard.',
    oneOf: (field, summaries) => `« ${field} » doit être une de ces valeurs pour un programme : ${summaries}.`,
    prompt: 'Dites ce que le script doit faire.',
  },
});

/** Maximum number of records per table that are sent to the model. */
const maxRecords = 100;
/** Maximum length of a prompt, in characters. */
const maxPromptLength = 5000;

const fields = {
  prompt: text()
    .nullable()
    .emptyAllowed()
    .max(maxPromptLength, 'field')
    .describe('What a script should do. Ignored with `sequence_id`.'),
  context_key: text()
    .nullable()
    .emptyAllowed()
    .describe('`title`, `color` or `description` of a sequence. Without `sequence_id` it is always `lua`.'),
  sequence_id: bigint()
    .nullable()
    .documented({ minimum: 1 })
    .describe('The sequence to summarize. Null to generate a script.'),
};

/**
 * `POST /api/ai`: has a language model write a script, or name and describe a sequence. The response is the model's text,
 * streamed without framing. Prompts and answers are neither stored nor logged. [rule S13]
 */
export const aiRoute = (services: AiServices): DeviceRoute => ({
  access: 'token',
  tag: 'Programs',
  method: 'POST',
  path: '/api/ai',
  // Questions are counted for the user.
  personal: true,
  summary: 'Have a language model write a script, or name or describe a sequence',
  description:
    'Sends the prompt, or a sequence to describe, to the language model that the operator configured, and streams its text without framing. Prompts are not stored.',
  transaction: false,
  body: {
    rule: 'object',
    schema: withExample(inputSchema(fields, 'create', 'AiQuestion'), {
      prompt: 'Water all tomatoes',
      context_key: 'lua',
    }),
  },
  textExamples: { 200: 'toast("Watering the tomatoes")' },
  replies: { 200: 'text', 403: failureSchema, 404: failureSchema, 422: fieldFailuresSchema },
  streamedType: 'text/event-stream',
  async handle(scope, call) {
    if (await services.gardens.isDemo(scope)) throw new Failure('forbidden', say.demo);
    const messages = await createMessages(scope, call, services);
    const exceeded = await countQuestion(await services.accounts.accountOf(scope), services.dailyQuestions);
    if (exceeded) throw new Failure('forbidden', say[exceeded]);
    return streamAnswer(scope, call, messages, services);
  },
});

/** Returns the messages for the model. Throws 404, 422. */
async function createMessages(scope: DeviceScope, call: Call, services: AiServices): Promise<readonly ModelMessage[]> {
  const parsed = parseBody(fields, objectBody(call), 'create');
  assertValid(parsed);
  const { prompt, context_key, sequence_id } = parsed.values;
  if (typeof sequence_id === 'number') {
    const summary = summaries.find((each) => each === context_key);
    if (!summary) throw invalid({ context_key: say.oneOf(labelOf('context_key'), summaries.join(', ')) });
    const sequence: unknown = JSON.parse(await show(scope, sequences, sequence_id));
    return summaryPrompt(summary, { ...(sequence as object) }, await answerLanguage(scope, services));
  }
  const request = typeof prompt === 'string' ? prompt.trim() : '';
  if (request === '') throw invalid({ prompt: say.prompt });
  const { garden } = services;
  const [peripherals, sensors] = await Promise.all([
    scope.rows(garden.peripherals, { limit: maxRecords }),
    scope.rows(garden.sensors, { limit: maxRecords }),
  ]);
  const tools = (await scope.rows(garden.tools, { limit: maxRecords })).map(({ name, id }) => ({ name, id }));
  return luaPrompt(
    request,
    { peripherals: peripherals.map(pinName), sensors: sensors.map(pinName), tools },
    await answerLanguage(scope, services),
  );
}

const answerLanguage = async (scope: DeviceScope, services: AiServices): Promise<string> =>
  (await services.accounts.languageOf(scope)) ?? 'English';

const pinName = ({ label, pin }: { readonly label: string; readonly pin: number }): PinName => ({
  name: label,
  pin_number: pin,
});

/** Asks the model and responds when the first piece arrives. Throws 422 if none does. [rule S13] */
async function streamAnswer(
  scope: DeviceScope,
  call: Call,
  messages: readonly ModelMessage[],
  { model, device }: AiServices,
): Promise<StreamedReply> {
  if (!model) throw modelFailure(new ModelError('none'));
  const disconnected = new AbortController();
  // Before the response begins, only the connection shows that the client has disconnected.
  void call.responseSent.then(() => disconnected.abort());
  const report = (error: unknown, type: 'error' | 'warn'): ModelError => {
    const failure = error instanceof ModelError ? error : new ModelError('malformed');
    if (disconnected.signal.aborted) return failure;
    const { problem, code } = failure;
    const message: LocalText = (language) => failure.logMessage(language);
    scope.log.warn({ device: scope.deviceId, problem, code }, 'the language model failed');
    device
      .notify(scope, { message, type, channels: ['toast'] })
      .catch((reason: unknown) =>
        scope.log.warn({ device: scope.deviceId, reason: String(reason) }, 'a notice could not be stored'),
      );
    return failure;
  };
  const pieces = model.answer(messages, disconnected.signal);
  const first = await pieces.next().catch((error: unknown) => {
    throw modelFailure(report(error, 'error'));
  });
  // A complete answer has at least one piece; an empty one fails.
  const content = answerStream(first.value ?? '', pieces, {
    broken: (error) => report(error, 'warn'),
    closed: () => disconnected.abort(),
  });
  return new StreamedReply(content, 'text/event-stream', {
    headers: {
      'last-modified': new Date(scope.clock.now()).toUTCString(),
      // nginx would buffer the response.
      'x-accel-buffering': 'no',
    },
  });
}

/** Returns 422 with the message as a nested object. [rule S13] */
const modelFailure = ({ sentence: message }: ModelError): Failure => invalid({ error: { message } });
