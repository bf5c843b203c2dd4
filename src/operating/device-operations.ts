import { userByEmail } from '../accounts/users.ts';
import type { ServerScope } from '../db/scope.ts';
import type { DeviceLimits } from '../device/device-limits.ts';
import { changeLimits } from '../device/device-limits.ts';

export const deviceOperations = ({ server }: { readonly server: () => ServerScope }) => ({
  /** Changes the limits of the device of that account. False: there is no such account. */
  async setLimits(email: string, limits: Partial<DeviceLimits>): Promise<boolean> {
    const user = await userByEmail(server(), email);
    if (!user) return false;
    await server()
      .device(user.device_id)
      .transaction((scope) => changeLimits(scope, limits));
    return true;
  },
});
