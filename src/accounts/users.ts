import { column } from '../db/columns.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import { table } from '../db/table.ts';
import type { RecordReader } from '../engine/event-bodies.ts';
import type { JsonSchema } from '../engine/json-schema.ts';
import { Type } from '../engine/json-schema.ts';
import { timeSchema } from '../engine/kinds.ts';
import { normalizeEmail } from './account-fields.ts';
import { areGuests } from './guests.ts';

/** Users. Several may share a device; each has exactly one. */
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
    /** Part of the link in the mail; kept after use, so that a second visit gets a specific answer. */
    confirmation_token: column.text(),
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

/** The JSON of a user. [rule A5] */
export const userRecord = (row: UserRow) => ({
  id: row.id,
  created_at: row.created_at,
  updated_at: row.updated_at,
  name: row.name,
  email: row.email,
  language: row.language,
});

/** The JSON of the user beside a token. [rule A12] */
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
const orNull = (schema: JsonSchema): JsonSchema => Type.Union([schema, Type.Null()]);
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

/** Returns the user with this e-mail address, compared after normalization. */
export const userByEmail = (scope: ServerScope, email: string): Promise<UserRow | undefined> =>
  scope.first(users, { where: { email: normalizeEmail(email) } });

/** Whether the scope's device is that of a demo account. */
export const isOfDemoAccount = async (scope: DeviceScope): Promise<boolean> =>
  (await scope.count(users, { and: areGuests })) > 0;

/** Updates a user inside a transaction and announces the change, if any value differs. */
export async function changeUser(scope: DeviceScope, before: UserRow, changes: Partial<UserRow>): Promise<UserRow> {
  const changed = Object.entries(changes).filter(([name, value]) => before[name as keyof UserRow] !== value);
  if (changed.length === 0) return before;
  const [row] = await scope.update(users, Object.fromEntries(changed) as Partial<UserRow>, {
    where: { id: before.id },
  });
  if (!row) return before;
  scope.events.changed('User', row.id, JSON.stringify(userRecord(row)));
  return row;
}

/** Returns the e-mail addresses of a device's users, the first user's first. */
export const emailAddresses = async (scope: ServerScope, deviceId: number): Promise<readonly string[]> =>
  (await scope.device(deviceId).rows(users)).map(({ email }) => email);

/** Access to the users of a device for other rooms. */
export const deviceOwners = (endSessions: (scope: ServerScope, deviceId: number) => Promise<void>) => ({
  addresses: emailAddresses,
  /** Moves a user to another device, inside a transaction. */
  async move(scope: ServerScope, userId: number, deviceId: number): Promise<void> {
    const before = await scope.first(users, { where: { id: userId } });
    await scope.update(users, { device_id: deviceId }, { where: { id: userId } });
    if (before) await endSessions(scope, before.device_id);
  },
});

/** Reads users for announcements, as responses show them. */
export const userReader: RecordReader = async (scope, ids) => {
  const rows = await scope.rows(users, { where: { id: ids } });
  return new Map(rows.map((row) => [row.id, JSON.stringify(userRecord(row))]));
};
