import { randomBytes } from 'node:crypto';
import type { FieldFailures } from '../core/errors.ts';
import { invalid, notFound, refused } from '../core/errors.ts';
import { labels } from '../core/field-labels.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { Gardens } from '../device/gardens.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import { fieldFailuresSchema } from '../engine/failure-schemas.ts';
import { labelOf } from '../engine/field-label.ts';
import { sayOfField } from '../engine/field-messages.ts';
import type { FieldValues } from '../engine/fields.ts';
import { bigint, boolean, custom, oneOf, text } from '../engine/fields.ts';
import { maxUrlBytes, urlProblem } from '../engine/http-url.ts';
import { Type } from '../engine/json-schema.ts';
import type { Kind } from '../engine/kinds.ts';
import { fieldProblem, idSchema, Problem, timeSchema } from '../engine/kinds.ts';
import { objectBody, parseId } from '../engine/resource-routes.ts';
import type { Call, DeviceRoute } from '../engine/route.ts';
import { deviceRoutes, emptyReply } from '../engine/route.ts';
import { inputBody } from '../engine/schemas.ts';
import type { JobQueue } from '../jobs/queue.ts';
import { enqueueDelivery } from './deliverer.ts';
import { say } from './messages.ts';
import type { PushKeys, RuleRow } from './notification-rules.ts';
import { awayWays, defaultPageRule, maxRules, notificationRules, pageRule } from './notification-rules.ts';
import type { NotificationKind } from './notification-words.ts';
import { notificationKinds } from './notification-words.ts';
import { timePattern } from './quiet-hours.ts';
import type { PushIdentity } from './web-push.ts';
import { arePushKeys } from './web-push.ts';

const kindsSchema = Type.Array(Type.OneOf(notificationKinds), {
  description:
    'What is reported: messages that programs show (`message`), errors and failed assertions of the robot, runs that were due while it was offline (`missed_run`), and that it is offline for five minutes.',
  examples: [['error', 'offline']],
});

function parseKinds(value: unknown, name: string): readonly NotificationKind[] | Problem {
  const isList = Array.isArray(value) && value.every((each) => notificationKinds.some((kind) => kind === each));
  return isList
    ? notificationKinds.filter((kind) => value.includes(kind))
    : fieldProblem(name, say.kinds, notificationKinds.join(', '));
}

const kindsKind: Kind<readonly NotificationKind[]> = {
  column: 'json',
  parse: parseKinds,
  cast: parseKinds,
  output: kindsSchema,
  input: kindsSchema,
};

const keysSchema = Type.Object({ p256dh: Type.String(), auth: Type.String() });

function parseKeys(value: unknown, name: string): PushKeys | Problem {
  const { p256dh, auth } = (typeof value === 'object' && value !== null ? value : {}) as Partial<PushKeys>;
  if (typeof p256dh !== 'string' || typeof auth !== 'string' || p256dh.length > 200 || auth.length > 100)
    return fieldProblem(name, say.pushKeys);
  return arePushKeys({ p256dh, auth }) ? { p256dh, auth } : fieldProblem(name, say.pushKeys);
}

const keysKind: Kind<PushKeys> = {
  column: 'json',
  parse: parseKeys,
  cast: parseKeys,
  output: keysSchema,
  input: keysSchema,
};

/** Returns the problem of an address to which nothing can be posted, or null. */
function addressProblem(url: string, name: string): Problem | null {
  const problem = urlProblem(url, name);
  if (problem) return new Problem(problem.failure, 'field', problem.about);
  const { username, password } = new URL(url);
  return username || password ? fieldProblem(name, say.credentials) : null;
}

/** A text that matches a pattern, or null. */
const matching = (pattern: RegExp, message: typeof say.token) =>
  text()
    .nullable()
    .check((value, name) => (pattern.test(value) ? null : fieldProblem(name, message)), { pattern: pattern.source });

const localTime = () => matching(timePattern, say.localTime);

/** A token that a header can hold. */
const tokenPattern = /^[\x21-\x7e]+$/;

const kinds = custom<readonly NotificationKind[]>(kindsKind).label('What is reported', 'Ce qui est signalé');

const changeFields = {
  kinds,
  address: text()
    .nullable()
    .check(addressProblem, { maxLength: maxUrlBytes, format: 'uri' })
    .describe('Of a browser’s push service (`web_push`), of a topic (`ntfy`), or of a receiver (`webhook`).')
    .label(labels.address),
  token: matching(tokenPattern, say.token)
    .max(200, 'field')
    .describe('Of `ntfy`: an access token, which is never shown.')
    .label('Access token', 'Jeton d’accès'),
  description: text().nullable().emptyAllowed().max(200, 'field').label(labels.description),
  quiet_from: localTime()
    .describe('Local time of the garden from which on deliveries wait: `22:00`.')
    .label('Quiet from', 'Calme à partir de'),
  quiet_to: localTime().describe('Until when they wait.').label('Quiet until', 'Calme jusqu’à'),
  active: boolean().default(true).label('Active', 'Actif'),
};

const createFields = {
  way: oneOf(...awayWays)
    .required()
    .label('Way', 'Moyen'),
  ...changeFields,
  kinds: kinds.required(),
  push_keys: custom<PushKeys>(keysKind)
    .nullable()
    .describe('Of `web_push`: the keys of the browser’s subscription.')
    .label('Keys of the browser', 'Clés du navigateur'),
};

const ruleExample = {
  way: 'ntfy',
  kinds: ['error', 'offline'],
  address: 'https://ntfy.example/my-garden',
  quiet_from: '22:00',
  quiet_to: '07:00',
};

const pageFields = {
  kinds,
  read_id: bigint().describe('The newest notification that the person has seen.').label('Read until', 'Lu jusqu’à'),
};

const settingsSchema = Type.Object(
  {
    kinds: kindsSchema,
    read_id: Type.Integer({ description: 'The newest notification that the person has seen.', examples: [12] }),
    web_push_key: Type.String({
      description: 'The key of the server, for `PushManager.subscribe`.',
      examples: ['BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM'],
    }),
  },
  { $id: 'NotificationSettings' },
);

const shown = {
  id: idSchema,
  created_at: timeSchema,
  updated_at: timeSchema,
  way: Type.OneOf(awayWays),
  kinds: kindsSchema,
  address: Type.Nullable(Type.String({ examples: ['https://ntfy.example/my-garden'] })),
  description: Type.Nullable(Type.String()),
  quiet_from: Type.Nullable(Type.String({ examples: ['22:00'] })),
  quiet_to: Type.Nullable(Type.String({ examples: ['07:00'] })),
  active: Type.Boolean(),
  last_error: Type.Nullable(
    Type.String({ description: 'Why the last delivery failed; null: it did not, or was by mail.' }),
  ),
};
const ruleSchema = Type.Object(shown, { $id: 'NotificationRule' });
const newRuleSchema = Type.Object(
  {
    ...shown,
    secret: Type.Nullable(Type.String({ description: 'Of `webhook`: signs what is posted. Never shown again.' })),
  },
  { $id: 'NewNotificationRule' },
);

const record = ({
  device_id: _device,
  user_id: _user,
  push_keys: _keys,
  secret: _secret,
  read_id: _read,
  ...row
}: RuleRow) => row;

export interface RuleRouteDependencies {
  readonly queue: JobQueue;
  readonly gardens: Pick<Gardens, 'isDemo'>;
  readonly identity: PushIdentity;
  /** Whether notifications of the garden can never reach this address, as far as the address alone shows. */
  readonly isClosed: (scope: DeviceScope, url: string) => Promise<boolean>;
}

type RuleValues = Partial<FieldValues<typeof createFields>>;

/** Throws 422 if a rule lacks something of its way. */
function assertComplete({ way, address, push_keys, quiet_from, quiet_to }: Partial<RuleRow>): void {
  const failures: FieldFailures = {};
  if (way === 'email' && address) failures.address = say.ownAddress(labelOf('address'));
  if (way !== 'email' && !address) failures.address = say.noAddress(labelOf('address'));
  if (way === 'web_push' && !push_keys) failures.push_keys = say.pushKeys(labelOf('push_keys'));
  if (quiet_from && !quiet_to) failures.quiet_to = say.bothTimes(labelOf('quiet_to'));
  if (quiet_to && !quiet_from) failures.quiet_from = say.bothTimes(labelOf('quiet_from'));
  if (Object.keys(failures).length > 0) throw invalid(failures);
}

/** Returns the rules of notifications of a person, and what pages show. Addresses ask for the password: they outlive sessions. [ADR 126] */
export function ruleRoutes({ queue, gardens, identity, isClosed }: RuleRouteDependencies): DeviceRoute[] {
  const path = '/api/notification_rules';
  const own = (call: Call) => ({ user_id: call.session.userId });
  async function find(scope: DeviceScope, call: Call): Promise<RuleRow> {
    const id = parseId(call.params.id, 'Notification rule');
    const row = await scope.first(notificationRules, { where: { ...own(call), id, way: [...awayWays] } });
    if (!row) throw notFound('Notification rule');
    return row;
  }
  async function assertOpen(scope: DeviceScope, { address }: Pick<RuleValues, 'address'>): Promise<void> {
    if (address && (await isClosed(scope, address)))
      throw invalid({ address: sayOfField.privateAddress(labelOf('address', labels.address)) });
  }
  const settings = (rule: Pick<RuleRow, 'kinds' | 'read_id'> = defaultPageRule) => ({
    kinds: rule.kinds,
    read_id: rule.read_id,
    web_push_key: identity.publicKey,
  });
  const common = { tag: 'Notifications', addition: true, personal: true } as const;
  return [
    ...deviceRoutes(common, [
      {
        method: 'GET',
        path: '/api/notification_settings',
        summary: 'Show what pages notify you of',
        description:
          'Returns the kinds of notifications that pages of the garden show you, and which one you saw last.',
        replies: { 200: settingsSchema },
        handle: async (scope, call) => settings(await pageRule(scope, call.session.userId)),
      },
      {
        method: 'PATCH',
        path: '/api/notification_settings',
        summary: 'Choose what pages notify you of, or mark notifications as seen',
        description: 'Changes the kinds that pages of the garden show you, and how far you have seen them.',
        body: inputBody(pageFields, 'update', 'NotificationSettingsInput', { read_id: 12 }),
        replies: { 200: settingsSchema, 422: fieldFailuresSchema },
        async handle(scope, call) {
          const parsed = parseBody(pageFields, objectBody(call), 'update');
          assertValid(parsed);
          const before = await pageRule(scope, call.session.userId);
          if (before) {
            const [row] = await scope.update(notificationRules, parsed.values, { where: { id: before.id } });
            return settings(row ?? before);
          }
          return settings(
            await scope.insert(notificationRules, {
              ...emptyRule(call),
              way: 'page',
              ...defaultPageRule,
              ...parsed.values,
            }),
          );
        },
      },
      {
        method: 'GET',
        path,
        summary: 'List your rules of notifications',
        description: 'Returns how you are notified of this garden when you are away from its pages.',
        replies: { 200: Type.Array(ruleSchema) },
        handle: async (scope, call) =>
          (await scope.rows(notificationRules, { where: { ...own(call), way: [...awayWays] } })).map(record),
      },
      {
        method: 'POST',
        path,
        confirms: true,
        summary: 'Add a rule of notifications',
        description: `Has you notified by e-mail, by Web Push (RFC 8291), by a POST of text as ntfy takes it, or by a JSON message that is signed by the rules of Standard Webhooks. A person has at most ${maxRules} rules in a garden; a garden reports at most 60 things an hour, and the same once in ten minutes.`,
        body: inputBody(createFields, 'create', 'NotificationRuleInput', ruleExample),
        replies: { 200: newRuleSchema, 422: fieldFailuresSchema },
        async handle(scope, call) {
          const values = parse(createFields, call, 'create');
          assertComplete({ ...emptyRule(call), ...columnsOf(values) });
          if (await gardens.isDemo(scope)) throw refused(say.demo);
          await assertOpen(scope, values);
          // A browser that subscribes again replaces its rule.
          const { way, address } = values;
          if (way === 'web_push' && address)
            await scope.delete(notificationRules, { where: { ...own(call), way, address } });
          if ((await scope.count(notificationRules, { where: { ...own(call), way: [...awayWays] } })) >= maxRules)
            throw refused(say.tooMany(maxRules));
          const secret = way === 'webhook' ? `whsec_${randomBytes(32).toString('base64')}` : null;
          const row = await scope.insert(notificationRules, {
            ...emptyRule(call),
            ...columnsOf(values),
            ...(way !== 'ntfy' && { secret }),
          });
          return { ...record(row), secret };
        },
      },
      {
        method: 'PATCH',
        path: `${path}/:id`,
        confirms: true,
        summary: 'Change a rule of notifications',
        description: 'Changes what is reported, where and when.',
        body: inputBody(changeFields, 'update', 'NotificationRuleChange', { quiet_from: '21:00', quiet_to: '06:30' }),
        replies: { 200: ruleSchema, 422: fieldFailuresSchema },
        async handle(scope, call) {
          const before = await find(scope, call);
          const { secret, ...others } = columnsOf(parse(changeFields, call, 'update'));
          const changes = { ...others, ...(before.way === 'ntfy' && secret !== undefined && { secret }) };
          assertComplete({ ...before, ...changes });
          if (changes.address !== before.address) await assertOpen(scope, changes);
          const where = { id: before.id };
          const [row] = await scope.update(notificationRules, { ...changes, last_error: null }, { where });
          return record(row ?? before);
        },
      },
      {
        method: 'DELETE',
        path: `${path}/:id`,
        summary: 'Delete a rule of notifications',
        description: 'Ends it, with deliveries that wait.',
        replies: { 200: 'empty' },
        async handle(scope, call) {
          const { id } = await find(scope, call);
          await scope.delete(notificationRules, { where: { id } });
          return emptyReply;
        },
      },
      {
        method: 'POST',
        path: `${path}/:id/test`,
        summary: 'Send a test by a rule of notifications',
        description: 'Delivers a test once, also in quiet hours. `last_error` says a moment later whether it failed.',
        replies: { 200: 'empty' },
        async handle(scope, call) {
          const rule = await find(scope, call);
          await enqueueDelivery(scope, queue, rule, { rule_id: rule.id, notification_id: null, attempt: 0 });
          return emptyReply;
        },
      },
    ]),
  ];
}

/** The columns of a rule before its values. */
const emptyRule = (call: Call) => ({
  user_id: call.session.userId,
  address: null,
  push_keys: null,
  secret: null,
  description: null,
  quiet_from: null,
  quiet_to: null,
  active: true,
  last_error: null,
  read_id: 0,
});

function parse<F extends typeof createFields | typeof changeFields>(
  fields: F,
  call: Call,
  action: 'create' | 'update',
): RuleValues {
  const parsed = parseBody(fields, objectBody(call), action);
  assertValid(parsed);
  return parsed.values as RuleValues;
}

/** Returns the columns of sent values. */
function columnsOf({ token, ...values }: RuleValues) {
  return { ...values, ...(token !== undefined && { secret: token }) } as Omit<
    RuleRow,
    'id' | 'created_at' | 'updated_at' | 'device_id' | 'user_id' | 'last_error' | 'read_id'
  >;
}
