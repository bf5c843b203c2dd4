import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { asBody, currentPasswordFields, parseFields, passwordConfirmation } from '../accounts/account-fields.ts';
import { say } from '../accounts/messages.ts';
import { verifyPassword } from '../accounts/password-verification.ts';
import type { AccountServices } from '../accounts/services.ts';
import { currentUser, userUnlessPasswordChanged } from '../accounts/sessions.ts';
import { invalid } from '../core/errors.ts';
import type { DeviceScope } from '../db/scope.ts';
import { alerts } from '../device/alerts.ts';
import type { DeviceRow } from '../device/devices.ts';
import { changeDevice, deviceDefaults, devices } from '../device/devices.ts';
import { Type } from '../engine/json-schema.ts';
import { insertRecord } from '../engine/records.ts';
import type { Call, DeviceRoute } from '../engine/route.ts';
import { withoutPassword } from '../home-assistant/garden-users.ts';
import { homeAssistants } from '../home-assistant/home-assistant-rows.ts';
import { jobs } from '../jobs/job-rows.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import { removePublications, removeSomePublications } from '../programs/published-versions.ts';
import { emptyHistory, pause } from './device-emptying.ts';
import type { DeletePhotos } from './garden-deletion.ts';
import { deleteGarden } from './garden-deletion.ts';

/** The job that resets a device. */
const deviceResetJob = 'reset_device';

/** The only alert of a device after a reset. [rule T7] */
const seedAlert = { problem_tag: 'api.seed_data.missing', priority: 200 } as const;

/** `POST /api/device/reset`: deletes the device's garden in the background, given the user's password. [rule T6] */
export const deviceResetRoute = (services: AccountServices): DeviceRoute => ({
  method: 'POST',
  path: '/api/device/reset',
  tag: 'Account',
  access: 'token',
  // The password is hashed outside the transaction.
  transaction: false,
  summary: 'Delete the entire garden, in the background',
  description:
    'Deletes everything in the garden in the background, given the password of the user. The account, its sessions and its device stay.',
  body: { rule: 'late', schema: passwordConfirmation },
  replies: { 200: Type.Object({ ok: Type.Literal('OK') }) },
  handle: (scope, call) => requestReset(services, scope, call),
});

async function requestReset(services: AccountServices, scope: DeviceScope, call: Call) {
  const { password } = parseFields<typeof currentPasswordFields, 'password'>(currentPasswordFields, asBody(call.body));
  const user = await currentUser(scope);
  const wrongPassword = invalid({ password: say.wrongPassword });
  if (!(await verifyPassword(services, scope.server, call, { user, email: user.email, password }))) throw wrongPassword;
  await scope.transaction(async (inner) => {
    if (!(await userUnlessPasswordChanged(inner, user))) throw wrongPassword;
    const { deviceId } = inner;
    await services.jobs.enqueueOnce(inner.server, deviceResetJob, { device_id: deviceId }, { deviceId });
  });
  return { ok: 'OK' };
}

/** The job of {@link deviceResetRoute}. Resets the device atomically, and only once even if the job runs again. */
export const deviceReset = (deletePhotos: DeletePhotos): JobDefinition => ({
  kind: deviceResetJob,
  async handle(server, { device_id }) {
    if (typeof device_id !== 'number') throw new Error('the payload has no device_id');
    const where = { kind: deviceResetJob, device_id };
    if ((await server.count(jobs, { where })) > 0) {
      await emptyHistory(server.device(device_id));
      while (await removeSomePublications(server.device(device_id), {})) await sleep(pause);
    }
    await server.device(device_id).transaction(async (scope) => {
      // Deleted in the same transaction: a second run must not delete newer records.
      const deleted = await scope.server.delete(jobs, { where });
      const device = await scope.first(devices);
      if (deleted.length > 0 && device) await reset(scope, device, deletePhotos);
    });
  },
});

async function reset(scope: DeviceScope, device: DeviceRow, deletePhotos: DeletePhotos): Promise<void> {
  await scope.emptyHistory();
  const { name, mounted_tool_id, setup_completed_at, account_seeded_at } = deviceDefaults(scope.clock.now());
  await changeDevice(scope, device, { name, mounted_tool_id, setup_completed_at, account_seeded_at });
  await deleteGarden(scope, deletePhotos);
  await removePublications(scope, {});
  await scope.update(homeAssistants, withoutPassword, {});
  await insertRecord(scope, alerts, { ...seedAlert, slug: randomUUID() });
  scope.log.info({ device: scope.deviceId }, 'a device was reset');
}
