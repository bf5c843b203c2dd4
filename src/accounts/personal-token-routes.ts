import { timestamp } from '../core/clock.ts';
import type { FieldFailures } from '../core/errors.ts';
import { notFound } from '../core/errors.ts';
import { labels } from '../core/field-labels.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { Body } from '../engine/body.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import { untagged } from '../engine/entity-tag.ts';
import { labelOf } from '../engine/field-label.ts';
import { sayOfField } from '../engine/field-messages.ts';
import type { Fields, FieldValues } from '../engine/fields.ts';
import { custom, text, time } from '../engine/fields.ts';
import { Type } from '../engine/json-schema.ts';
import type { Kind } from '../engine/kinds.ts';
import { fieldProblem, idSchema, timeSchema } from '../engine/kinds.ts';
import { titleOf } from '../engine/labels.ts';
import { changedValues } from '../engine/records.ts';
import { objectBody, parseId } from '../engine/resource-routes.ts';
import { hasRole } from '../engine/rights.ts';
import type { Call, DeviceRoute } from '../engine/route.ts';
import { deviceRoutes, emptyReply } from '../engine/route.ts';
import { inputBody } from '../engine/schemas.ts';
import type { Scope } from '../engine/tags.ts';
import { scopeNames, scopes as scopeSentences } from '../engine/tags.ts';
import { say } from './messages.ts';
import type { PersonalTokenRow } from './personal-tokens.ts';
import { newPersonalToken, personalTokenHash, personalTokens } from './personal-tokens.ts';
import type { AccountServices } from './services.ts';

const scopesSchema = Type.Array(Type.OneOf(scopeNames), {
  description: `What it may do. ${Object.entries(scopeSentences)
    .map(([name, sentence]) => `\`${name}\`: ${sentence}`)
    .join(' ')}`,
  minItems: 1,
  examples: [['garden']],
});

const isScope = (value: unknown): value is Scope => scopeNames.some((name) => name === value);

function parseScopes(value: unknown, name: string) {
  if (!Array.isArray(value) || value.length === 0 || value.length > 100) return fieldProblem(name, say.noScope);
  const unknown: unknown = value.find((each) => !isScope(each));
  if (unknown !== undefined) return fieldProblem(name, say.unknownScope, scopeNames.join(', '));
  return scopeNames.filter((each) => value.includes(each));
}

/** A list of scopes. */
const scopesKind: Kind<readonly Scope[]> = {
  column: 'json',
  parse: parseScopes,
  cast: parseScopes,
  output: scopesSchema,
  input: scopesSchema,
};

const fields = {
  name: text().required().max(80, 'field').describe('What it is for.').label(labels.name),
  scopes: custom<readonly Scope[]>(scopesKind).required().label('What it may do', 'Droits'),
  expires_at: time().nullable().describe('When it ends; null: never.').label('Valid until', 'Valable jusqu’au'),
};

type Values = FieldValues<typeof fields>;

/** Its scopes can only become fewer, so that a token never gets more rights than its user confirmed. */
const changeFields = { name: fields.name, scopes: fields.scopes } satisfies Fields;

const shown = {
  id: idSchema,
  created_at: timeSchema,
  updated_at: timeSchema,
  user_id: idSchema,
  name: Type.String({ examples: ['Watering script'] }),
  scopes: scopesSchema,
  expires_at: Type.Nullable({ ...timeSchema, examples: [null] }),
  last_used_at: Type.Nullable({ ...timeSchema, examples: [null] }),
};

const recordSchema = Type.Object(shown, { $id: 'PersonalToken' });
const newSchema = Type.Object(
  {
    ...shown,
    token: Type.String({
      description: 'The token, which is not shown again.',
      examples: ['pot_0123456789ABCDEFGHIJKLMNOPQRSTUVWX2DCy2u'],
    }),
  },
  { $id: 'NewPersonalToken' },
);

const record = ({ token_hash: _hash, device_id: _device, ...row }: PersonalTokenRow) => row;

/** `/api/personal_tokens`. Owners manage the tokens of all people in the garden, others their own. [ADR 57] */
export function personalTokenRoutes(services: AccountServices): DeviceRoute[] {
  async function find(scope: DeviceScope, call: Call): Promise<PersonalTokenRow> {
    const id = parseId(call.params.id, 'Personal token');
    const row = await scope.first(personalTokens, { where: { ...visibleTo(call), id } });
    if (!row) throw notFound('Personal token');
    return row;
  }

  return deviceRoutes({ tag: 'Sign in', addition: true }, [
    {
      method: 'GET',
      path: '/api/personal_tokens',
      summary: 'List the personal tokens',
      description:
        'Returns the personal tokens of the garden without the tokens themselves: owners see those of all members, others their own.',
      replies: { 200: Type.Array(recordSchema) },
      untagged: untagged.overlaid,
      handle: async (scope, call) =>
        (await scope.rows(personalTokens, { where: visibleTo(call) })).map((row) =>
          record(services.uses.overlayPersonal(row)),
        ),
    },
    {
      method: 'POST',
      path: '/api/personal_tokens',
      confirms: true,
      summary: 'Create a personal token, for a script',
      description:
        'Returns a token for this garden that can do what its scopes say and no more than its user: as `Authorization: Bearer`, and as the password of MQTT with the username `device_{id}`. It is shown once.',
      body: inputBody(fields, 'create', 'PersonalTokenInput', {
        name: 'Watering script',
        scopes: ['garden', 'control'],
        expires_at: null,
      }),
      replies: { 200: newSchema },
      async handle(scope, call) {
        const values = parsedFields(scope, fields, objectBody(call), 'create') as Values;
        await services.quotas.assertRoom(scope, 'personal_tokens');
        const token = newPersonalToken();
        const row = await scope.insert(personalTokens, {
          user_id: call.session.userId,
          name: values.name,
          scopes: values.scopes,
          expires_at: values.expires_at ?? null,
          token_hash: personalTokenHash(token),
        });
        return { ...record(row), token };
      },
    },
    {
      method: 'PATCH',
      path: '/api/personal_tokens/:id',
      confirms: true,
      summary: 'Rename or narrow a personal token',
      description:
        'Changes the name, and the scopes to fewer ones, which closes its connections to the message broker. To widen it, create another one.',
      body: inputBody(changeFields, 'update', 'PersonalTokenUpdate', { name: 'Old script' }),
      replies: { 200: recordSchema },
      async handle(scope, call) {
        const before = await find(scope, call);
        const changes = parsedFields(scope, changeFields, objectBody(call), 'update', (values) =>
          values.scopes?.every((each) => before.scopes.includes(each)) === false ? { scopes: say.fewerScopes } : {},
        );
        const changed = changedValues(before, changes as Partial<PersonalTokenRow>);
        const where = { id: before.id };
        const [row = before] = changed ? await scope.update(personalTokens, changed, { where }) : [];
        if (row.scopes.length < before.scopes.length) await services.endSessions(scope.server, scope.deviceId);
        return record(services.uses.overlayPersonal(row));
      },
    },
    {
      method: 'DELETE',
      path: '/api/personal_tokens/:id',
      confirms: true,
      summary: 'Revoke a personal token',
      description: 'Deletes the token and closes its connections to the message broker.',
      replies: { 200: 'empty' },
      async handle(scope, call) {
        const { id } = await find(scope, call);
        await scope.delete(personalTokens, { where: { id } });
        await services.endSessions(scope.server, scope.deviceId);
        return emptyReply;
      },
    },
  ]);
}

const visibleTo = ({ session }: Call): { user_id?: number } =>
  hasRole(session.rights.role, 'owner') ? {} : { user_id: session.userId };

/** Parses a body. Throws 422 with all problems. */
function parsedFields(
  { clock }: DeviceScope,
  declared: Fields,
  body: Body,
  mode: 'create' | 'update',
  check: (values: Partial<Values>) => FieldFailures = () => ({}),
): Partial<Values> {
  const parsed = parseBody(declared, body, mode);
  const values = parsed.values as Partial<Values>;
  const isPast = typeof values.expires_at === 'string' && values.expires_at <= timestamp(clock.now());
  assertValid(parsed, {
    ...check(values),
    ...(isPast ? { expires_at: sayOfField.future(labelOf('expires_at', titleOf(declared.expires_at))) } : {}),
  });
  return values;
}
