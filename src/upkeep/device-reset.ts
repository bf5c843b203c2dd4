import { randomUUID } from 'node:crypto';
import Type from 'typebox';
import { asBody, currentPasswordFields, parseCreate } from '../accounts/account-fields.ts';
import type { AccountServices } from '../accounts/services.ts';
import { currentUser, userUnlessPasswordChanged } from '../accounts/sessions.ts';
import { invalid } from '../core/errors.ts';
import type { DeviceScope } from '../db/scope.ts';
import { alerts } from '../device/alerts.ts';
import type { DeviceRow } from '../device/devices.ts';
import { changeDevice, deviceDefaults, devices } from '../device/devices.ts';
import { insertRecord } from '../engine/records.ts';
import type { Call, DeviceRoute } from '../engine/route.ts';
import { inputSchema } from '../engine/schemas.ts';
import { jobs } from '../jobs/job-rows.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import type { DeletePhotos } from './garden-deletion.ts';
import { deleteGarden } from './garden-deletion.ts';

/** The job that resets a device. */
export const deviceResetJob = 'reset_device';

/** The only alert of a device that was reset. [reference 4] */
const seedAlert = { problem_tag: 'api.seed_data.missing', priority: 200 } as const;

type ResetServices = Pick<AccountServices, 'passwords' | 'jobs'>;

/** `POST /api/device/reset`: whoever knows their own password has the device's garden deleted, in the background. [Spec Device] */
export const deviceResetRoute = (services: ResetServices): DeviceRoute => ({
  method: 'POST',
  path: '/api/device/reset',
  tag: 'device',
  access: 'token',
  // The password is hashed outside the transaction.
  transaction: false,
  summary: 'Delete everything in the garden and begin anew, in the background',
  body: { rule: 'late', schema: inputSchema(currentPasswordFields, 'create', 'Device reset') },
  replies: { 200: Type.Object({ ok: Type.Literal('OK') }, { additionalProperties: false }) },
  handle: (scope, call) => askForReset(services, scope, call),
});

async function askForReset({ passwords, jobs: queue }: ResetServices, scope: DeviceScope, call: Call) {
  const { password } = parseCreate<typeof currentPasswordFields, 'password'>(currentPasswordFields, asBody(call.body));
  const user = await currentUser(scope);
  const wrong = invalid({ password: 'Password is wrong.' });
  if (!(await passwords.verify(user.password_hash, password))) throw wrong;
  await scope.transaction(async (inner) => {
    if (!(await userUnlessPasswordChanged(inner, user))) throw wrong;
    const { deviceId } = inner;
    await queue.enqueueOnce(inner.server, deviceResetJob, { device_id: deviceId }, { deviceId });
  });
  return { ok: 'OK' };
}

/** Does what {@link deviceResetRoute} asked for: all of it or nothing, and once, however often the job is run. */
export const deviceReset = (forgetPhotos: DeletePhotos): JobDefinition => ({
  kind: deviceResetJob,
  async handle(server, { device_id }) {
    if (typeof device_id !== 'number') throw new Error('the job does not say which device it is about');
    await server.device(device_id).transaction(async (scope) => {
      // The job goes with its work: a second run must not delete what was made since.
      const where = { kind: deviceResetJob, device_id };
      const asked = await scope.server.delete(jobs, { where });
      const device = await scope.first(devices);
      if (asked.length > 0 && device) await reset(scope, device, forgetPhotos);
    });
  },
});

async function reset(scope: DeviceScope, device: DeviceRow, forgetPhotos: DeletePhotos): Promise<void> {
  const { name, mounted_tool_id, setup_completed_at, account_seeded_at } = deviceDefaults(scope.clock.now());
  await changeDevice(scope, device, { name, mounted_tool_id, setup_completed_at, account_seeded_at });
  await deleteGarden(scope, forgetPhotos);
  await insertRecord(scope, alerts, { ...seedAlert, slug: randomUUID() });
  scope.log.info({ device: scope.deviceId }, 'a device was reset');
}
