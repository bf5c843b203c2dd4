import Type from 'typebox';
import type { FieldFailure } from '../core/errors.ts';
import { custom, float, integer, oneOf, text, time } from '../engine/fields.ts';
import type { Kind } from '../engine/kinds.ts';
import { fieldProblem, modelProblem, Problem, titleize } from '../engine/kinds.ts';
import { resource } from '../engine/resource.ts';

/** [reference] */
export const logTypes = ['assertion', 'busy', 'debug', 'error', 'fun', 'info', 'success', 'warn'] as const;
export type LogType = (typeof logTypes)[number];

/** Characters of all channels together, as JSON. [reference] */
const longestChannels = 280;

/** A list of names. Names are not checked: robots use some that no list has. [reference 8.1] */
const channelsKind: Kind<string[]> = {
  column: 'json',
  parse(value, name) {
    if (!Array.isArray(value)) return fieldProblem(name, 'must be a list');
    const failures: (FieldFailure | null)[] = value.map((one: unknown, index) =>
      typeof one === 'string' ? null : `${titleize(name)} must hold text at place ${index + 1}.`,
    );
    return failures.some((failure) => failure !== null) ? new Problem(failures) : value;
  },
  cast: (value, name) => channelsKind.parse(value, name),
  output: Type.Array(Type.String()),
  input: Type.Array(Type.String()),
};

/** `created_at` may be sent as seconds since the epoch and is kept. Never announced. [Spec logs] */
export const logs = resource('logs', {
  description: 'Something that the robot did or met.',
  announced: null,
  createdAt: 'seconds',
  newestFirst: true,
  indexes: [['device_id', 'created_at']],
  fields: {
    channels: custom<string[]>(channelsKind)
      .default([])
      .check((channels) =>
        JSON.stringify(channels).length > longestChannels ? modelProblem('channels', 'are too long together') : null,
      ),
    message: text().required(),
    meta: text().nullByDefault().derived('null').describe('Ignored on create; always null.'),
    major_version: integer().nullByDefault(),
    minor_version: integer().nullByDefault(),
    patch_version: integer().nullByDefault(),
    type: oneOf(...logTypes).default('info'),
    verbosity: integer().default(1),
    x: float().nullByDefault(),
    y: float().nullByDefault(),
    z: float().nullByDefault(),
    /** Which mail it goes out with: one about serious errors at once, or the next collection. */
    mail: oneOf('fatal', 'digest').nullByDefault().readOnly().hidden(),
    sent_at: time().nullByDefault().readOnly().hidden(),
  },
});
