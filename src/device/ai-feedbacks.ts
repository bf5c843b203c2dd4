import { oneOf, text } from '../engine/fields.ts';
import { insertRecord, parseCreate, show } from '../engine/records.ts';
import { resource } from '../engine/resource.ts';
import { objectBody } from '../engine/resource-routes.ts';
import type { DeviceRoute } from '../engine/route.ts';
import { jsonReply } from '../engine/route.ts';
import { bodySchema, recordSchema } from '../engine/schemas.ts';

/** Users' ratings of generated text. [rule D15] */
export const aiFeedbacks = resource('ai_feedbacks', {
  tag: 'Programs',
  max: 5000,
  example: { prompt: 'Water all tomatoes', reaction: 'good' },
  description: 'A rating of a generated text.',
  changeLogName: null,
  coercion: 'cast',
  fields: {
    prompt: text().max(500).nullable().label('Prompt', 'Demande'),
    reaction: oneOf('good', 'bad').nullable().label('Reaction', 'Réaction'),
    /** Name of the model, at most 30 characters. */
    model: text().nullByDefault().readOnly().hidden(),
  },
});

/** `model`: name of the language model in use, if any. */
export const createAiFeedback = (model: string | null): DeviceRoute => ({
  access: 'token',
  tag: aiFeedbacks.options.tag,
  method: 'POST',
  path: '/api/ai_feedbacks',
  summary: 'Rate a generated text',
  description: 'Stores whether a text of the language model was useful, and returns the rating.',
  body: { rule: 'object', schema: bodySchema(aiFeedbacks, 'create') },
  replies: { 200: recordSchema(aiFeedbacks) },
  async handle(scope, call) {
    const values = await parseCreate(scope, aiFeedbacks, objectBody(call));
    const { id } = await insertRecord(scope, aiFeedbacks, { ...values, model: model?.slice(0, 30) ?? null });
    return jsonReply(await show(scope, aiFeedbacks, id));
  },
});
