import { randomUUID } from 'node:crypto';
import { present } from '../core/clock.ts';
import { UniqueViolation } from '../db/failures.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { alerts } from './alerts.ts';
import { devices } from './devices.ts';
import { fbosConfig } from './fbos-config.ts';
import { globalBulletins } from './global-bulletins.ts';
import { logs } from './logs.ts';
import { webAppConfig } from './web-app-config.ts';

/** A version that no robot has; by it the web app knows that there is none. [reference 6.2] */
const demoVersion = '100.0.0';
/** Millimetres. [reference 6.2] */
const demoSafeHeight = -150;

/** The news that visitors get, also through the address of bulletins. [reference 6.2] */
const news = {
  slug: 'buy-a-farmbot',
  type: 'info',
  title: 'A robot of your own',
  href: 'https://farm.bot',
  href_label: 'See the robots',
  content:
    'Do you like what you see? A real robot sows, waters and weeds a bed in your garden, and works with this page.',
} as const;

const demoAlerts = [
  { problem_tag: 'api.demo_account.in_use', priority: 100 },
  { problem_tag: 'api.bulletin.unread', priority: 9999, slug: news.slug },
  { problem_tag: 'api.tour.not_taken', priority: 300 },
] as const;

const greeting = 'Hello! This is a demo garden: try whatever you like, nothing can break here.';

/**
 * Makes a new device a visitor's, inside the transaction that makes it; nothing of it is announced, as nobody can be
 * listening. What depends on the product line comes with the seeds of gardens. [reference 6.2]
 */
export async function demoDevice(scope: DeviceScope): Promise<void> {
  await scope.update(webAppConfig, { discard_unsaved: true }, {});
  await scope.update(fbosConfig, { safe_height: demoSafeHeight }, {});
  await ensureNews(scope.server);
  await scope.remove(alerts, { where: { problem_tag: 'api.user.not_welcomed' } });
  await scope.insertAll(
    alerts,
    demoAlerts.map((alert) => ({ slug: randomUUID(), ...alert })),
  );
  await scope.insert(logs, { message: greeting, type: 'fun', verbosity: 3, channels: [] });
  const account_seeded_at = present(scope.clock);
  await scope.update(devices, { fbos_version: demoVersion, account_seeded_at }, {});
}

/** Makes the bulletin where it is missing; an operator may have written another one. */
async function ensureNews(server: ServerScope): Promise<void> {
  if (await server.first(globalBulletins, { where: { slug: news.slug } })) return;
  try {
    // In a savepoint: another process may be faster, and the rest goes on.
    await server.transaction((inner) => inner.insert(globalBulletins, news));
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error;
  }
}
