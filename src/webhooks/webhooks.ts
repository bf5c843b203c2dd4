import type { DeviceScope } from '../db/scope.ts';
import type { Rights } from '../engine/rights.ts';
import type { Foundation, Room } from '../foundation.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { ActiveWebhooks } from './active-webhooks.ts';
import type { DelivererDependencies } from './deliverer.ts';
import { Deliverer } from './deliverer.ts';
import type { Robots } from './robot-watch.ts';
import { RobotWatch } from './robot-watch.ts';
import type { MailDependencies } from './webhook-failures.ts';
import { disabledMailJobs } from './webhook-failures.ts';
import { webhookRoutes } from './webhook-routes.ts';

/** What webhooks need from settings and other rooms. */
export interface WebhookDependencies
  extends Pick<DelivererDependencies, 'notify' | 'alert' | 'recipients' | 'isAdministrators'>,
    MailDependencies {
  readonly quotas: Pick<Quotas, 'assertRoom'>;
  readonly robots: Robots;
  /** Returns the rights that a user has now in the scope's garden; null: none. */
  readonly rightsOf: (scope: DeviceScope, userId: number) => Promise<Rights | null>;
}

/** Opens the webhooks: their routes, and the delivery of changes and of what robots do. */
export function openWebhooks(foundation: Foundation, dependencies: WebhookDependencies): Room {
  const { server, clock, queue, fetch, changes, mail, ownsDatabase, resourceRights } = foundation;
  const deliverer = new Deliverer({
    ...dependencies,
    clock,
    fetch,
    changes,
    queue,
    async readableBy(scope, userId) {
      const rights = await dependencies.rightsOf(scope, userId);
      return rights && resourceRights.readable(rights);
    },
  });
  const lastChange = (scope: DeviceScope) => changes.lastId(scope);
  const active = new ActiveWebhooks({ server, deliverer });
  const watch = new RobotWatch({ robots: dependencies.robots, server, deliverer, active, isShared: !ownsDatabase });
  let unsubscribe: (() => void) | null = null;
  return {
    routes: webhookRoutes({
      ...dependencies,
      deliverer,
      lastChange,
      resourceNames: resourceRights.names,
      onChanged(deviceId) {
        active.onWebhooksChanged(deviceId);
        watch.check();
      },
    }),
    jobs: [...deliverer.jobs, disabledMailJobs(mail, dependencies)],
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
