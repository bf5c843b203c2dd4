import { refused } from '../core/errors.ts';
import type { DeviceScope } from '../db/scope.ts';
import { fieldFailuresSchema } from '../engine/failure-schemas.ts';
import { text } from '../engine/fields.ts';
import { maxUrlBytes, urlProblem } from '../engine/http-url.ts';
import { insertRecord, parseCreate, show } from '../engine/records.ts';
import type { RequestedFetches } from '../engine/requested-fetches.ts';
import { resource } from '../engine/resource.ts';
import { objectBody, parseId } from '../engine/resource-routes.ts';
import type { DeviceRoute } from '../engine/route.ts';
import { jsonReply } from '../engine/route.ts';
import { bodySchema, recordSchema } from '../engine/schemas.ts';
import { jobs as jobRows } from '../jobs/job-rows.ts';
import type { JobQueue } from '../jobs/queue.ts';
import { say } from './messages.ts';

export const farmwareInstallations = resource('farmware_installations', {
  tag: 'Farmware',
  max: 1000,
  example: { url: 'https://farmware.invalid/manifest.json' },
  description: 'A third-party program for the robot, identified by the URL of its manifest.',
  changeLogName: 'FarmwareInstallation',
  routes: ['list', 'show', 'destroy'],
  paginated: true,
  destroyReply: 'empty',
  sync: 'listed',
  fields: {
    url: text()
      .required()
      .unique()
      .check(urlProblem, { maxLength: maxUrlBytes, format: 'uri' })
      .label('Address of the manifest (URL)', 'Adresse du manifeste (URL)')
      .hint(
        'A file that describes the farmware, such as https://example.com/my-farmware/manifest.json. Its author publishes it.',
        'Un fichier qui décrit le farmware, comme https://example.com/mon-farmware/manifest.json. Son auteur le publie.',
      ),
    package: text()
      .nullByDefault()
      .readOnly()
      .describe("The manifest's `package`; null until the manifest was fetched.")
      .label('Farmware', 'Farmware'),
    package_error: text()
      .nullByDefault()
      .readOnly()
      .describe('Why the manifest could not be fetched.')
      .label('Problem', 'Problème'),
  },
});

/** The kind of job that fetches a manifest. */
export const manifestJobKind = 'farmware_manifest';

/** The payload of such a job. */
export type ManifestTask = Readonly<Record<'device_id' | 'id', number>>;

/** Enqueues the job that fetches the manifest, unless one is waiting. */
export async function enqueueManifestFetch(scope: DeviceScope, jobs: JobQueue, id: number): Promise<void> {
  const task: ManifestTask = { device_id: scope.deviceId, id };
  const { deviceId, userId: turnOf } = scope;
  await jobs.enqueueOnce(scope.server, manifestJobKind, task, { deviceId, turnOf });
}

/** Manifests of a device that may wait to be fetched, with the current one. */
const maxWaiting = 20;

/** Throws 422 if too many manifests of the device are waiting. */
async function assertQueueRoom(scope: DeviceScope): Promise<void> {
  const waiting = { kind: manifestJobKind, device_id: scope.deviceId, failed_at: null };
  if ((await scope.server.count(jobRows, { where: waiting })) >= maxWaiting)
    throw refused(say.manifestsWaiting(maxWaiting));
}

/** Returns the routes that create and refresh, which enqueue a fetch of the manifest. */
export function farmwareInstallationRoutes(jobs: JobQueue, fetches: RequestedFetches): DeviceRoute[] {
  const { name, singular } = farmwareInstallations;
  const common = {
    access: 'token',
    tag: farmwareInstallations.options.tag,
    method: 'POST',
    replies: { 200: recordSchema(farmwareInstallations), 422: fieldFailuresSchema },
  } as const;
  return [
    {
      ...common,
      path: `/api/${name}`,
      summary: 'Create a farmware installation; its manifest is fetched later',
      description:
        'Stores the address of a manifest and returns the installation. The manifest is fetched in the background; `package` or `package_error` is set then.',
      body: { rule: 'object', schema: bodySchema(farmwareInstallations, 'create') },
      async handle(scope, call) {
        const values = await parseCreate(scope, farmwareInstallations, objectBody(call));
        await assertQueueRoom(scope);
        fetches.consume(scope);
        const { id } = await insertRecord(scope, farmwareInstallations, values);
        await enqueueManifestFetch(scope, jobs, id);
        return jsonReply(await show(scope, farmwareInstallations, id));
      },
    },
    {
      ...common,
      path: `/api/${name}/:id/refresh`,
      summary: 'Fetch the manifest of a farmware installation again',
      description: 'Fetches the manifest again in the background, and returns the installation as it is now.',
      async handle(scope, call) {
        const id = parseId(call.params.id, singular);
        const json = await show(scope, farmwareInstallations, id);
        await assertQueueRoom(scope);
        fetches.consume(scope);
        await enqueueManifestFetch(scope, jobs, id);
        return jsonReply(json);
      },
    },
  ];
}
