import { parsePartialFields } from '../accounts/account-fields.ts';
import { areNoGuests } from '../accounts/guests.ts';
import { allowsDemos, currentSignUp, serverSettings, storeDemos, storeSignUp } from '../accounts/server-settings.ts';
import type { AccountServices } from '../accounts/services.ts';
import { users } from '../accounts/users.ts';
import { notFound } from '../core/errors.ts';
import { lastBackup } from '../core/last-backup.ts';
import { version } from '../core/version.ts';
import type { Selection, ServerScope } from '../db/scope.ts';
import { untagged } from '../engine/entity-tag.ts';
import { boolean, oneOf } from '../engine/fields.ts';
import { Type } from '../engine/json-schema.ts';
import { idSchema, timeSchema } from '../engine/kinds.ts';
import { objectBody, parseId } from '../engine/resource-routes.ts';
import type { DeviceRoute } from '../engine/route.ts';
import { inputBody } from '../engine/schemas.ts';
import type { Foundation } from '../foundation.ts';
import { countJobs, failedJobs } from '../jobs/job-counts.ts';
import type { JobRow } from '../jobs/job-rows.ts';
import { retryFailedJobs } from '../jobs/retries.ts';
import type { LiveOffer } from '../live/offer.ts';

/** Jobs in a list. */
const maxListed = 1000;

export interface ServerRouteServices {
  readonly foundation: Foundation;
  readonly accounts: AccountServices;
  readonly live: LiveOffer;
}

const decisionFields = {
  sign_up: oneOf('open', 'closed')
    .nullable()
    .describe('Whether anyone may sign up; null: as the setting `SIGN_UP` says.'),
  demo_accounts: boolean()
    .nullable()
    .describe('Whether visitors may use demo accounts; null: as the setting `DEMO_ACCOUNTS` says.'),
};

const signUpSchema = Type.Union([Type.Literal('open'), Type.Literal('closed')]);

const serverSchema = Type.Object(
  {
    version: Type.String({ examples: [version] }),
    node: Type.String({ examples: ['20.19.0'] }),
    users: Type.Integer({ description: 'Accounts, without demo accounts.' }),
    sign_up: signUpSchema,
    sign_up_setting: signUpSchema,
    demo_accounts: Type.Boolean({ description: 'Whether visitors may use demo accounts.' }),
    demo_accounts_setting: Type.Nullable(
      Type.Boolean({ description: 'The setting `DEMO_ACCOUNTS`; null: they may while anyone may sign up.' }),
    ),
    database: Type.Object({
      engine: Type.Union([Type.Literal('sqlite'), Type.Literal('postgresql')]),
      bytes: Type.Integer(),
    }),
    disk: Type.Nullable(
      Type.Object(
        {
          free: Type.Integer({ description: 'Bytes.' }),
          total: Type.Integer({ description: 'Bytes.' }),
          required: Type.Integer({ description: 'Below it, uploads, imports and backups are refused. Bytes.' }),
        },
        { description: 'That of the data folder; null: its file system does not say.' },
      ),
    ),
    jobs: Type.Object({
      waiting: Type.Integer(),
      later: Type.Integer(),
      running: Type.Integer(),
      dead: Type.Integer({ description: 'Failed permanently.' }),
    }),
    broker: Type.Nullable(
      Type.Object({ ok: Type.Boolean(), message: Type.String(), connections: Type.Nullable(Type.Integer()) }),
    ),
    last_backup_at: Type.Nullable(timeSchema),
  },
  {
    $id: 'ServerState',
    examples: [
      {
        version,
        node: '20.19.0',
        users: 12,
        sign_up: 'closed',
        sign_up_setting: 'open',
        demo_accounts: false,
        demo_accounts_setting: null,
        database: { engine: 'sqlite', bytes: 4_194_304 },
        disk: { free: 20_000_000_000, total: 64_000_000_000, required: 536_870_912 },
        jobs: { waiting: 0, later: 12, running: 0, dead: 0 },
        broker: { ok: true, message: 'The built-in message broker listens on port 1883.', connections: 3 },
        last_backup_at: '2026-11-21T03:10:00.000Z',
      },
    ],
  },
);

const jobSchema = Type.Object(
  {
    id: idSchema,
    kind: Type.String({ examples: ['mail_welcome'] }),
    device_id: Type.Nullable(idSchema),
    attempts: Type.Integer(),
    created_at: timeSchema,
    failed_at: timeSchema,
    last_error: Type.Nullable(Type.String({ examples: ['connect ECONNREFUSED'] })),
  },
  { $id: 'DeadJob' },
);

const retriedSchema = Type.Object({ retried: Type.Integer() });

/** The size of the database in bytes; of SQLite, the size of its file without the write-ahead log. */
const databaseSize: Selection<number> = {
  key: 'database size',
  expressions: {
    sqlite: ['(select page_count * page_size from pragma_page_count(), pragma_page_size())'],
    postgres: ['pg_database_size(current_database())'],
  },
  read: ([bytes]) => Number(bytes),
};

/** The JSON of a job for administrators, without its payload, which may contain addresses. */
const recordOf = ({ id, kind, device_id, attempts, created_at, failed_at, last_error }: JobRow) => ({
  id,
  kind,
  device_id,
  attempts,
  created_at,
  failed_at,
  last_error,
});

async function stateOf(services: ServerRouteServices, server: ServerScope) {
  const { foundation, accounts, live } = services;
  const { dataDir, ownsDatabase, freeSpace } = foundation;
  const { signUp, demos } = accounts.rules;
  const [bytes = 0] = await server.select(serverSettings, databaseSize, { limit: 1 });
  const disk = freeSpace.spaceOf(dataDir);
  return {
    version,
    node: process.versions.node,
    users: await server.count(users, { and: areNoGuests }),
    sign_up: await currentSignUp(server, signUp),
    sign_up_setting: signUp,
    demo_accounts: await allowsDemos(server, accounts.rules),
    demo_accounts_setting: demos,
    database: { engine: ownsDatabase ? 'sqlite' : 'postgresql', bytes },
    disk: disk && { free: disk.free, total: disk.total, required: Math.round(disk.required) },
    jobs: await countJobs(server),
    broker: live.status(),
    last_backup_at: await lastBackup(dataDir),
  };
}

/** `/api/admin/server` and `/api/admin/jobs`: the state of the server, and its failed jobs. [ADR 50] */
export function adminServerRoutes(services: ServerRouteServices): DeviceRoute[] {
  const common = { access: 'token', tag: 'Administration', addition: true } as const;
  const change = { ...common, transaction: false, confirms: true } as const;
  return [
    {
      ...common,
      method: 'GET',
      path: '/api/admin/server',
      summary: 'Show the state of the server',
      description:
        'Returns the version, the sizes of the database and of the disk, background jobs by state, the message broker, the time of the last `potager backup`, and whether anyone may sign up.',
      replies: { 200: serverSchema },
      handle: ({ server }) => stateOf(services, server),
      untagged: untagged.momentary,
    },
    {
      ...change,
      method: 'PATCH',
      path: '/api/admin/server',
      summary: 'Open or close sign-up and demo accounts',
      description:
        'Stores whether anyone may sign up and whether visitors may use demo accounts, which overrides the settings `SIGN_UP` and `DEMO_ACCOUNTS` until it is null again. Invitations of administrators work either way.',
      body: inputBody(decisionFields, 'update', 'ServerUpdate', { sign_up: 'closed' }),
      replies: { 200: serverSchema },
      async handle({ server }, call) {
        const { sign_up: signUp, demo_accounts: demos } = parsePartialFields(decisionFields, objectBody(call));
        await server.transaction(async (inner) => {
          if (signUp !== undefined) await storeSignUp(inner, signUp);
          if (demos !== undefined) await storeDemos(inner, demos);
        });
        return stateOf(services, server);
      },
    },
    {
      ...common,
      method: 'GET',
      path: '/api/admin/jobs',
      summary: 'List the background jobs that failed permanently',
      description: `Returns them with their last error, the latest failure first, at most ${maxListed}.`,
      replies: { 200: Type.Array(jobSchema) },
      handle: async ({ server }) => (await failedJobs(server, maxListed)).map(recordOf),
    },
    {
      ...change,
      method: 'POST',
      path: '/api/admin/jobs/retry',
      summary: 'Run all background jobs again that failed permanently',
      description: 'Runs them again, with all their attempts. Returns their number.',
      replies: { 200: retriedSchema },
      handle: async ({ server }) => ({
        retried: (await retryFailedJobs(server, services.foundation.queue, {})).length,
      }),
    },
    {
      ...change,
      method: 'POST',
      path: '/api/admin/jobs/:id/retry',
      summary: 'Run one background job again that failed permanently',
      description: 'Runs it again, with all its attempts.',
      replies: { 200: retriedSchema },
      async handle({ server }, call) {
        const retried = await retryFailedJobs(server, services.foundation.queue, {
          id: parseId(call.params.id, 'Job'),
        });
        if (retried.length === 0) throw notFound('Job');
        return { retried: retried.length };
      },
    },
  ];
}
