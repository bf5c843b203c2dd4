import { labels } from '../core/field-labels.ts';
import { sayOfField } from '../engine/field-messages.ts';
import { custom, text } from '../engine/fields.ts';
import { Type } from '../engine/json-schema.ts';
import type { Kind } from '../engine/kinds.ts';
import { fieldProblem, modelProblem, notBlank, Problem, textKind } from '../engine/kinds.ts';
import { resource } from '../engine/resource.ts';
import type { DeviceRoute } from '../engine/route.ts';
import { emptyReply } from '../engine/route.ts';
import { say } from './messages.ts';

/** [rule G1, decision 13] */
export type EnvValue = string | object;

/** The maximum length of a value as JSON. [rule G2] */
const maxValueLength = 1000;

function parse(value: unknown, name: string): EnvValue | Problem {
  if (Array.isArray(value)) return fieldProblem(name, say.textOrObject);
  const parsed = typeof value === 'object' && value !== null ? value : textKind.parse(value, name);
  if (parsed instanceof Problem) return parsed;
  return JSON.stringify(parsed).length > maxValueLength
    ? modelProblem(name, sayOfField.maxLength, maxValueLength)
    : parsed;
}

const object = Type.Object({}, { additionalProperties: true });

export const envValueKind: Kind<EnvValue> = {
  column: 'json',
  parse,
  cast: parse,
  output: Type.Union([Type.String(), object]),
  input: Type.Union([{ ...textKind.input, ...notBlank }, object]),
};

/** [rule G3] */
export const farmwareEnvs = resource('farmware_envs', {
  tag: 'Farmware',
  example: { key: 'camera', value: 'USB' },
  description: 'A setting of the farmware on the robot.',
  changeLogName: 'FarmwareEnv',
  routes: ['list', 'show', 'create', 'update', 'destroy'],
  paginated: true,
  destroyReply: 'empty',
  showsDevice: true,
  sync: 'listed',
  max: 300,
  maxKey: 'configs',
  isSentWithoutTime: true,
  fields: {
    key: text().required().max(100).unique().label(labels.name),
    value: custom<EnvValue>(envValueKind)
      .required()
      .describe(
        `Text, or an object that is returned unchanged; at most ${maxValueLength} characters as JSON, not blank.`,
      )
      .label(labels.value),
  },
});

/** Deletes all of the device's, and announces each. [rule G4] */
export const deleteAllRoute: DeviceRoute = {
  access: 'token',
  tag: farmwareEnvs.options.tag,
  method: 'DELETE',
  path: '/api/farmware_envs/all',
  summary: 'Delete all farmware envs',
  description: 'Deletes all settings of farmware, and announces each deletion.',
  replies: { 200: 'empty' },
  async handle(scope) {
    const deleted = await scope.delete(farmwareEnvs, {});
    for (const { id } of deleted) scope.events.deleted('FarmwareEnv', id);
    return emptyReply;
  },
};
