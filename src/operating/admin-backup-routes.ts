import type { ServerScope } from '../db/scope.ts';
import { untagged } from '../engine/entity-tag.ts';
import { Type } from '../engine/json-schema.ts';
import type { DeviceRoute } from '../engine/route.ts';
import { say } from './messages.ts';
import type { ServerBackups } from './server-backups.ts';
import { keptBackups } from './server-backups.ts';

const backupsSchema = Type.Object(
  {
    running: Type.Boolean({ description: 'A backup is queued or in progress.' }),
    files: Type.Array(
      Type.Object({
        name: Type.String({ description: 'In `backups` of the data folder; the time in it is UTC.' }),
        bytes: Type.Integer(),
      }),
      { description: 'The newest first.' },
    ),
  },
  {
    $id: 'ServerBackups',
    examples: [{ running: false, files: [{ name: 'potager-2026-11-21-031000.tar', bytes: 52_428_800 }] }],
  },
);

const conflictSchema = Type.Object({ error: Type.String() }, { examples: [{ error: String(say.backupRuns) }] });

/** `/api/admin/backups`: backups that the server creates of itself. They can be listed, never read. */
export function adminBackupRoutes(backups: ServerBackups): DeviceRoute[] {
  const common = {
    access: 'token',
    tag: 'Administration',
    addition: true,
    path: '/api/admin/backups',
    replies: { 200: backupsSchema },
  } as const;
  const stateOf = async (server: ServerScope) => ({
    running: await backups.isRunning(server),
    files: await backups.list(),
  });
  return [
    {
      ...common,
      method: 'GET',
      summary: 'List the backups that the server created itself',
      description:
        'Returns the names and sizes of the archives in `backups` of the data folder, and whether one is being created. They cannot be downloaded: they contain its signing key.',
      handle: ({ server }) => stateOf(server),
      untagged: untagged.momentary,
    },
    {
      ...common,
      method: 'POST',
      transaction: false,
      confirms: true,
      replies: { 200: backupsSchema, 409: conflictSchema },
      summary: 'Back up the server now',
      description: `Does what \`potager backup\` does, in the background: writes to \`backups\` in the data folder, where the newest ${keptBackups} are kept. With PostgreSQL the database is not included. A failure is in the list of failed jobs. 409 while one is being made, 507 if the disk is almost full.`,
      async handle({ server }) {
        await backups.request(server);
        return stateOf(server);
      },
    },
  ];
}
