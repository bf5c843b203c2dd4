import type { AccountsOffer } from '../accounts/offer.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { Gardens } from '../device/gardens.ts';
import type { DeviceOffer } from '../device/offer.ts';
import type { Foundation, Room } from '../foundation.ts';
import type { LiveOffer } from '../live/offer.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { ActiveWebhooks } from './active-webhooks.ts';
import { Deliverer } from './deliverer.ts';
import { RobotWatch } from './robot-watch.ts';
import { disabledMailJobs } from './webhook-failures.ts';
import { webhookRoutes } from './webhook-routes.ts';

/** The settings and rooms that webhooks depend on. */
export interface WebhookDependencies {
  readonly accounts: AccountsOffer;
  readonly device: DeviceOffer;
  readonly gardens: Gardens;
  readonly live: LiveOffer;
  readonly quotas: Quotas;
  /** Returns the server's address, without a slash at the end. */
  readonly baseUrl: () => string;
}

/** Opens the webhooks: their routes, and the delivery of changes and of actions of robots. */
export function openWebhooks(foundation: Foundation, dependencies: WebhookDependencies): Room {
  const { accounts } = dependencies;
  const { server, changes, mail, ownsDatabase, resourceRights, isClosedHost } = foundation;
  const deliverer = new Deliverer({
    ...foundation,
    ...dependencies,
    async readableBy(scope, userId) {
      const rights = await accounts.rightsOf(scope, userId);
      return rights && resourceRights.readable(rights);
    },
  });
  const lastChange = (scope: DeviceScope) => changes.lastId(scope);
  const active = new ActiveWebhooks({ server, deliverer });
  const watch = new RobotWatch({ live: dependencies.live, server, deliverer, active, isShared: !ownsDatabase });
  let unsubscribe: (() => void) | null = null;
  return {
    routes: webhookRoutes({
      ...dependencies,
      deliverer,
      lastChange,
      isClosed: async (scope, url) => isClosedHost(url, await accounts.opensFor(scope)),
      resourceNames: resourceRights.names,
      onChanged(deviceId) {
        active.onWebhooksChanged(deviceId);
        watch.check();
      },
    }),
    jobs: [...deliverer.jobs, disabledMailJobs(mail, dependencies.baseUrl)],
    async start() {
      unsubscribe = changes.onCommit((deviceId) => active.onCommit(deviceId));
      await active.start();
      watch.start();
    },
    async stop() {
      unsubscribe?.();
      await watch.stop();
      await active.stop();
    },
  };
}
