import type { TSchema } from 'typebox';
import Type from 'typebox';
import { column } from '../db/columns.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import { table } from '../db/table.ts';
import { timeSchema } from '../engine/kinds.ts';
import { normalizeEmail } from './account-fields.ts';

/** People with an account. Several may share one device; each has one. */
export const users = table(
  'users',
  {
    device_id: column.bigint().references('devices'),
    name: column.text().nullable(),
    /** Trimmed, in lower case. */
    email: column.text(),
    password_hash: column.text(),
    language: column.text().nullable(),
    confirmed_at: column.time().nullable(),
    /** Part of the link in the mail; stays after its use, so that a second visit can be told so. */
    confirmation_token: column.text(),
    /** The address that waits for its confirmation. */
    unconfirmed_email: column.text().nullable(),
    agreed_to_terms_at: column.time().nullable(),
    inactivity_warning_sent_at: column.time().nullable(),
    sign_in_count: column.integer(),
    current_sign_in_at: column.time().nullable(),
    last_sign_in_at: column.time().nullable(),
    current_sign_in_ip: column.text().nullable(),
    last_sign_in_ip: column.text().nullable(),
  },
  { reach: 'both', unique: [['email'], ['confirmation_token']], indexes: [['device_id']] },
);

export type UserRow = RowOf<typeof users>;

/** The resource `users`. [Spec Users] */
export const userRecord = (row: UserRow) => ({
  id: row.id,
  created_at: row.created_at,
  updated_at: row.updated_at,
  name: row.name,
  email: row.email,
  language: row.language,
});

/** The user beside a token: nothing secret, no sign-in data. [reference] */
export const tokenUser = (row: UserRow) => ({
  id: row.id,
  device_id: row.device_id,
  name: row.name,
  email: row.email,
  created_at: row.created_at,
  updated_at: row.updated_at,
  agreed_to_terms_at: row.agreed_to_terms_at,
  inactivity_warning_sent_at: row.inactivity_warning_sent_at,
  language: row.language,
});

const id = Type.Integer({ minimum: 1 });
const orNull = (schema: TSchema): TSchema => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false };
const common = {
  id,
  created_at: timeSchema,
  updated_at: timeSchema,
  name: orNull(Type.String()),
  email: Type.String(),
  language: orNull(Type.String()),
};

export const userSchema = Type.Object(common, { ...closed, title: 'User' });

export const tokenUserSchema = Type.Object(
  { ...common, device_id: id, agreed_to_terms_at: orNull(timeSchema), inactivity_warning_sent_at: orNull(timeSchema) },
  { ...closed, title: 'User of a token' },
);

/** The account with this e-mail address, however it is spelled. */
export const userByEmail = (scope: ServerScope, email: string): Promise<UserRow | undefined> =>
  scope.first(users, { where: { email: normalizeEmail(email) } });

/** Changes an account inside a transaction and announces it. What does not differ is not written. */
export async function changeUser(scope: DeviceScope, before: UserRow, changes: Partial<UserRow>): Promise<UserRow> {
  const differing = Object.entries(changes).filter(([name, value]) => before[name as keyof UserRow] !== value);
  if (differing.length === 0) return before;
  const [row] = await scope.update(users, Object.fromEntries(differing) as Partial<UserRow>, {
    where: { id: before.id },
  });
  if (!row) return before;
  scope.events.changed('User', row.id, JSON.stringify(userRecord(row)));
  return row;
}
