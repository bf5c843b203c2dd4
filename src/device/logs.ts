import type { FieldFailure } from '../core/errors.ts';
import { labels } from '../core/field-labels.ts';
import { labelOf } from '../engine/field-label.ts';
import { sayOfField } from '../engine/field-messages.ts';
import { boolean, custom, float, integer, oneOf, text, time } from '../engine/fields.ts';
import { Type } from '../engine/json-schema.ts';
import type { Kind } from '../engine/kinds.ts';
import { fieldProblem, modelProblem, Problem } from '../engine/kinds.ts';
import { resource } from '../engine/resource.ts';
import { say } from './messages.ts';

/** Types of logs. [rule D19] */
export const logTypes = ['assertion', 'busy', 'debug', 'error', 'fun', 'info', 'success', 'warn'] as const;
export type LogType = (typeof logTypes)[number];

/** Characters of all channels together, as JSON. [rule D20] */
const maxChannelsLength = 280;

/** A list of names, which are not checked. [rule D20] */
const channelsKind: Kind<string[]> = {
  column: 'json',
  parse(value, name) {
    if (!Array.isArray(value)) return fieldProblem(name, sayOfField.list);
    const failures: (FieldFailure | null)[] = value.map((one: unknown, index) =>
      typeof one === 'string' ? null : say.textAt(labelOf(name), index + 1),
    );
    return failures.some((failure) => failure !== null) ? new Problem(failures) : value;
  },
  cast: (value, name) => channelsKind.parse(value, name),
  output: Type.Array(Type.String()),
  input: Type.Array(Type.String()),
};

/** Logs of the robot and of the server. [rule D18] */
export const logs = resource('logs', {
  tag: 'Logs',
  max: { keptBy: 'max_log_count' },
  maxNote: 'A quarter of them is for errors, warnings and assertions.',
  example: { message: 'All watered.', type: 'success' },
  description: 'A log message of the robot.',
  changeLogName: null,
  createdAt: 'seconds',
  indexes: [['device_id', 'id']],
  fields: {
    channels: custom<string[]>(channelsKind)
      .default([])
      .check((channels) =>
        JSON.stringify(channels).length > maxChannelsLength ? modelProblem('channels', say.longChannels) : null,
      )
      .label('Channels', 'Canaux'),
    message: text().required().label('Message', 'Message'),
    meta: text().nullByDefault().derived('null').describe('Ignored on create; always null.').label(labels.details),
    major_version: integer().nullByDefault().label('Major version', 'Version majeure'),
    minor_version: integer().nullByDefault().label('Minor version', 'Version mineure'),
    patch_version: integer().nullByDefault().label('Patch version', 'Version de correction'),
    type: oneOf(...logTypes)
      .default('info')
      .label(labels.kind),
    verbosity: integer().default(1).label('Verbosity', 'Niveau de détail'),
    x: float().nullByDefault().label(labels.x).unit('mm'),
    y: float().nullByDefault().label(labels.y).unit('mm'),
    z: float().nullByDefault().label(labels.z).unit('mm'),
    /** The kind of mail it is sent with: immediately, or with the next digest. */
    mail: oneOf('fatal', 'digest').nullByDefault().readOnly().hidden(),
    sent_at: time().nullByDefault().readOnly().hidden(),
    /** True if it did not come from the broker: event streams find such logs by it. */
    posted: boolean().nullByDefault().readOnly().hidden(),
  },
});
