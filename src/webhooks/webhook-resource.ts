import { randomBytes } from 'node:crypto';
import { labels } from '../core/field-labels.ts';
import { bigint, boolean, custom, integer, text, time } from '../engine/fields.ts';
import { maxUrlBytes, urlProblem } from '../engine/http-url.ts';
import type { JsonSchema } from '../engine/json-schema.ts';
import { Type } from '../engine/json-schema.ts';
import type { Kind } from '../engine/kinds.ts';
import { fieldProblem, Problem } from '../engine/kinds.ts';
import type { RecordRow } from '../engine/resource.ts';
import { resource } from '../engine/resource.ts';
import { say } from './messages.ts';

/** The reports of a webhook about the robot, besides changes of records. */
export const robotEvents = ['connected', 'disconnected', 'emergency_stop', 'error_log', 'sequence_finished'] as const;

export type RobotEvent = (typeof robotEvents)[number];

/** Maximum number of names in a list. */
const maxNames = 100;

/** A list of some of these names, without repetitions. `item`: the schema of a name. */
function nameList<Name extends string>(allowed: readonly Name[], item: JsonSchema): Kind<readonly Name[]> {
  const isName = (value: unknown): value is Name => typeof value === 'string' && allowed.includes(value as Name);
  const parse = (value: unknown, name: string): readonly Name[] | Problem => {
    if (!Array.isArray(value) || value.length > maxNames) return fieldProblem(name, say.names, maxNames);
    const wrong = value.findIndex((each) => !isName(each));
    if (wrong >= 0) return fieldProblem(name, say.onlyContain, allowed.join(', '));
    return [...new Set(value as Name[])];
  };
  const schema = Type.Array(item, { maxItems: maxNames });
  return { column: 'json', parse, cast: parse, output: schema, input: schema };
}

/** Returns the problem of an address to which nothing can be posted, or null. */
function addressProblem(url: string, name: string): Problem | null {
  const problem = urlProblem(url, name);
  if (problem) return new Problem(problem.failure, 'field', problem.about);
  const { username, password } = new URL(url);
  return username || password ? fieldProblem(name, say.credentials) : null;
}

/** The field `resources`. `names`: the names of all logged resources, which the routes know; the declaration accepts none. */
export const resourcesField = (names: readonly string[] = []) =>
  custom<readonly string[]>(nameList(names, Type.String()))
    .nullable()
    .describe('The resources of which changes are reported, by their names in event streams; null: all.')
    .label('What is sent', 'Ce qui est envoyé');

/**
 * Webhooks. They are not part of the garden: exports omit them, imports do not create them, and a reset keeps them. [ADR 54]
 */
export const webhooks = resource('webhooks', {
  tag: 'Webhooks',
  max: { quota: 'webhooks' },
  description: 'An address to which the server posts changes of the garden, signed by the rules of Standard Webhooks.',
  example: {
    url: 'https://receiver.example/garden',
    resources: ['Point', 'Sequence'],
    robot_events: ['disconnected', 'emergency_stop'],
    description: 'The greenhouse screen',
  },
  changeLogName: null,
  exported: false,
  routes: ['list', 'show', 'create', 'update', 'destroy'],
  destroyReply: 'object',
  addition: true,
  fields: {
    url: text().required().check(addressProblem, { maxLength: maxUrlBytes, format: 'uri' }).label(labels.address),
    resources: resourcesField(),
    robot_events: custom(nameList(robotEvents, Type.OneOf(robotEvents)))
      .default([])
      .describe('What is reported of the robot.')
      .label('Events of the robot', 'Événements du robot'),
    active: boolean()
      .default(true)
      .describe('Whether it reports. One that is switched on again begins with what changes from then on.')
      .label('Active', 'Actif'),
    description: text().nullable().emptyAllowed().max(1000, 'field').label(labels.description),
    failing_since: time()
      .nullByDefault()
      .readOnly()
      .describe('Since when the address does not accept what is delivered; null: it does.')
      .label('Failing since', 'En échec depuis'),
    disabled_at: time()
      .nullByDefault()
      .readOnly()
      .describe('When the server switched it off, after three days of failures or a response 410; null: it did not.')
      .label('Disabled at', 'Désactivé le'),
    /** The user who named its address, whose rights limit its reports. */
    user_id: bigint().readOnly().hidden(),
    secret: text().readOnly().hidden(),
    /** The secret before the last rotation, and until when it signs, too. */
    previous_secret: text().nullByDefault().readOnly().hidden(),
    previous_secret_until: time().nullByDefault().readOnly().hidden(),
    /** The last change of the log that became a delivery, or did not concern this webhook. */
    cursor: bigint().readOnly().hidden(),
    /** Failed attempts of the current delivery. */
    attempts: integer().default(0).readOnly().hidden(),
    next_attempt_at: time().nullByDefault().readOnly().hidden(),
    /** Of 0.2.0, unused since: a later release drops them. [ADR 97] */
    lease: text().nullByDefault().readOnly().hidden(),
    lease_until: time().nullByDefault().readOnly().hidden(),
  },
});

export type WebhookRow = RecordRow<typeof webhooks.fields>;

/** Returns a new secret, as Standard Webhooks writes it. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
