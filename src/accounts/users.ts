import type { Language } from '../core/languages.ts';
import { accountLanguages, defaultLanguage, preferredLanguage } from '../core/languages.ts';
import type { RecordReader } from '../db/announced-records.ts';
import { column } from '../db/columns.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import { table } from '../db/table.ts';
import { Type } from '../engine/json-schema.ts';
import { idSchema, timeSchema } from '../engine/kinds.ts';
import type { JobPayload } from '../jobs/job-rows.ts';
import type { Recipient } from '../mail/message.ts';
import { normalizeEmail } from './account-fields.ts';
import { areGuests } from './guests.ts';
import { memberOwners, roleIn } from './members.ts';

/** Users. Several may share a device; each has exactly one. */
export const users = table(
  'users',
  {
    device_id: column.bigint().references('devices'),
    name: column.text().nullable(),
    /** Trimmed, in lower case. */
    email: column.text(),
    password_hash: column.text(),
    /** As entered by the user, such as `French`; null: never chosen. */
    language: column.text().nullable(),
    confirmed_at: column.time().nullable(),
    /** Part of the link in the mail; kept after use, so that a second visit gets a specific response. */
    confirmation_token: column.text(),
    agreed_to_terms_at: column.time().nullable(),
    inactivity_warning_sent_at: column.time().nullable(),
    sign_in_count: column.integer(),
    current_sign_in_at: column.time().nullable(),
    last_sign_in_at: column.time().nullable(),
    current_sign_in_ip: column.text().nullable(),
    last_sign_in_ip: column.text().nullable(),
    /** Administers the server. Part of no response. */
    admin: column.boolean(),
    /** When an administrator disabled the account, which cannot sign in until it is enabled again. */
    disabled_at: column.time().nullable(),
  },
  { reach: 'both', unique: [['email'], ['confirmation_token']], indexes: [['device_id']], unwatched: [] },
);

export type UserRow = RowOf<typeof users>;

/** Returns the language of a user as clients read it; never null. */
export const shownLanguage = ({ language }: UserRow): string => language ?? accountLanguages[defaultLanguage];

/** Returns a user as the recipient of a mail; `page`: the language of the page that causes it. */
export const recipientOf = ({ email, language }: UserRow, page?: unknown): Recipient => ({
  to: email,
  language: preferredLanguage(language, page),
});

/** The JSON of a user. [rule A5] */
export const userRecord = (row: UserRow) => ({
  id: row.id,
  created_at: row.created_at,
  updated_at: row.updated_at,
  name: row.name,
  email: row.email,
  language: shownLanguage(row),
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
  language: shownLanguage(row),
});

const common = {
  id: idSchema,
  created_at: timeSchema,
  updated_at: timeSchema,
  name: Type.Nullable(Type.String()),
  email: Type.String(),
  language: Type.Nullable(Type.String()),
};

const example = {
  id: 1,
  created_at: '2026-04-01T08:00:00.000Z',
  updated_at: '2026-04-01T08:00:00.000Z',
  name: 'Anna',
  email: 'anna@example.com',
  language: 'English',
};

export const userSchema = Type.Object(common, { $id: 'User', examples: [example] });

export const tokenUserSchema = Type.Object(
  {
    ...common,
    device_id: idSchema,
    agreed_to_terms_at: Type.Nullable(timeSchema),
    inactivity_warning_sent_at: Type.Nullable(timeSchema),
  },
  {
    $id: 'SessionUser',
    examples: [{ ...example, device_id: 1, agreed_to_terms_at: null, inactivity_warning_sent_at: null }],
  },
);

/** Returns the user that the payload of a job names, unless there is none or it was deleted. */
export const userOfJob = async (scope: ServerScope, { user_id: id }: JobPayload): Promise<UserRow | undefined> =>
  typeof id === 'number' ? scope.first(users, { where: { id } }) : undefined;

/** Returns the user with this e-mail address, compared after normalization. */
export const userByEmail = (scope: ServerScope, email: string): Promise<UserRow | undefined> =>
  scope.first(users, { where: { email: normalizeEmail(email) } });

/** Whether the scope's device belongs to a demo account. */
export const isOfDemoAccount = async (scope: DeviceScope): Promise<boolean> =>
  (await scope.count(users, { and: areGuests })) > 0;

/** Returns the scope of the acting user's own garden; the garden's own if no user acts. */
export async function accountOf(scope: DeviceScope): Promise<DeviceScope> {
  const { server, userId, deviceId } = scope;
  const user = userId === null ? undefined : await server.first(users, { where: { id: userId } });
  return user && user.device_id !== deviceId ? server.device(user.device_id) : scope;
}

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

/** Whether a user has a role in a garden and may sign in. */
export async function hasDevice(server: ServerScope, userId: number, deviceId: number): Promise<boolean> {
  const user = await server.first(users, { where: { id: userId, disabled_at: null } });
  return user !== undefined && (await roleIn(server, user, deviceId)) !== null;
}

/** Returns the owners of a device: its users, the first one first, and members who own it. */
export const ownersOf = async (scope: ServerScope, deviceId: number): Promise<readonly UserRow[]> => [
  ...(await scope.device(deviceId).rows(users)),
  ...(await scope.rows(users, { where: { id: await memberOwners(scope, deviceId) } })),
];

/** Returns the language of the server's texts in a garden: its first owner's. */
export async function gardenLanguage({ server, deviceId }: DeviceScope): Promise<Language> {
  const [owner] = await ownersOf(server, deviceId);
  return preferredLanguage(owner?.language);
}

/** Access to the users of a device for other rooms. `leave` ends the access of a user to a garden. */
export const deviceOwners = (leave: (scope: DeviceScope, userId: number) => Promise<void>) => ({
  /** Returns the owners of a device as recipients of mails. */
  recipients: async (scope: ServerScope, deviceId: number): Promise<readonly Recipient[]> =>
    (await ownersOf(scope, deviceId)).map((user) => recipientOf(user)),
  /** Whether the device is the user's home garden, not an additional one. */
  isHome: async (scope: DeviceScope): Promise<boolean> =>
    (await scope.first(users, { where: { id: scope.userId ?? 0 } })) !== undefined,
  /** Moves a user to another device, inside a transaction. */
  async move(scope: ServerScope, userId: number, deviceId: number): Promise<void> {
    const before = await scope.first(users, { where: { id: userId } });
    await scope.update(users, { device_id: deviceId }, { where: { id: userId } });
    if (before) await leave(scope.device(before.device_id), userId);
  },
});

/** Reads users for announcements, as responses show them. */
export const userReader: RecordReader = async (scope, ids) => {
  const rows = await scope.rows(users, { where: { id: ids } });
  return new Map(rows.map((row) => [row.id, JSON.stringify(userRecord(row))]));
};
