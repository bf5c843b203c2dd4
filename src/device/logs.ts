import Type from 'typebox';
import type { FieldFailure } from '../core/errors.ts';
import { float, integer, of, oneOf, text, time } from '../engine/fields.ts';
import type { Kind } from '../engine/kinds.ts';
import { Problem, titled, told, toldByModel } from '../engine/kinds.ts';
import { resource } from '../engine/resource.ts';

/** [reference] */
export const logTypes = ['assertion', 'busy', 'debug', 'error', 'fun', 'info', 'success', 'warn'] as const;
export type LogType = (typeof logTypes)[number];

/** Characters of all channels together, as JSON. [reference] */
const longestChannels = 280;

/** A list of names. Names are not checked: robots use some that no list has. [reference 8.1] */
const channelsKind: Kind<string[]> = {
  column: 'json',
  filter(value, name) {
    if (!Array.isArray(value)) return told(name, 'must be a list');
    const failures: (FieldFailure | null)[] = value.map((one: unknown, index) =>
      typeof one === 'string' ? null : `${titled(name)} must hold text at place ${index + 1}.`,
    );
    return failures.some((failure) => failure !== null) ? new Problem(failures) : value;
  },
  cast: (value, name) => channelsKind.filter(value, name),
  output: Type.Array(Type.String()),
  input: Type.Array(Type.String()),
};

/** `created_at` may be sent as seconds since the epoch and is kept. Never announced. [Spec logs] */
export const logs = resource('logs', {
  about: 'Something that the robot did or met.',
  announced: null,
  createdAt: 'seconds',
  newestFirst: true,
  indexes: [['device_id', 'created_at']],
  fields: {
    channels: of<string[]>(channelsKind)
      .default([])
      .check((channels) =>
        JSON.stringify(channels).length > longestChannels ? toldByModel('channels', 'are too long together') : null,
      ),
    message: text().required(),
    meta: text().unset().derived('null').describe('Ignored on create; always null.'),
    major_version: integer().unset(),
    minor_version: integer().unset(),
    patch_version: integer().unset(),
    type: oneOf(...logTypes).default('info'),
    verbosity: integer().default(1),
    x: float().unset(),
    y: float().unset(),
    z: float().unset(),
    /** Which mail it goes out with: one about serious errors at once, or the next collection. */
    mail: oneOf('fatal', 'digest').unset().readOnly().hidden(),
    sent_at: time().unset().readOnly().hidden(),
  },
});
