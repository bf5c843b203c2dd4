import type { AccountsOffer } from '../accounts/offer.ts';
import type { Gardens } from '../device/gardens.ts';
import type { DeviceOffer } from '../device/offer.ts';
import type { Foundation, Room } from '../foundation.ts';
import type { LiveOffer } from '../live/offer.ts';
import type { ProgramsOffer } from '../programs/offer.ts';
import { deliveryJobs } from './deliverer.ts';
import { kindOfLog, recordNotification } from './recorder.ts';
import { RobotWatch } from './robot-watch.ts';
import { ruleRoutes } from './rule-routes.ts';
import { pushIdentity } from './web-push.ts';

/** The rooms that notifications depend on. */
export interface NotificationDependencies {
  readonly accounts: AccountsOffer;
  readonly device: DeviceOffer;
  readonly gardens: Gardens;
  readonly live: LiveOffer;
  readonly programs: ProgramsOffer;
  /** Returns the server's address, without a slash at the end. */
  readonly baseUrl: () => string;
}

/** Opens the notifications: what people are to know of the robot, their rules, and the deliveries by these. */
export function openNotifications(foundation: Foundation, dependencies: NotificationDependencies): Room {
  const { queue, server, isClosedHost } = foundation;
  const { accounts, device, live, programs, gardens } = dependencies;
  const identity = pushIdentity(accounts.services.keyPair);
  const watch = new RobotWatch({ live, programs, queue, server });
  device.logs.observe(async (scope, log) => {
    const kind = kindOfLog(log);
    if (kind) await recordNotification(scope, queue, { kind, message: log.message, at: scope.clock.now() });
  });
  return {
    routes: ruleRoutes({
      queue,
      gardens,
      identity,
      isClosed: async (scope, url) => isClosedHost(url, await accounts.opensFor(scope)),
    }),
    jobs: [...deliveryJobs({ ...foundation, ...dependencies, identity }), ...watch.jobs],
    start: () => watch.start(),
    stop: () => watch.stop(),
  };
}
