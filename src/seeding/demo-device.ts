import { randomUUID } from 'node:crypto';
import type { DeviceScope } from '../db/scope.ts';
import { alerts } from '../device/alerts.ts';
import { bulletinTag, ensureBulletin } from '../device/bulletin-alerts.ts';
import { changeDevice, ownDevice } from '../device/devices.ts';
import { fbosConfig } from '../device/fbos-config.ts';
import { logs } from '../device/logs.ts';
import { webAppConfig } from '../device/web-app-config.ts';
import { deleteRecord, insertRecord, updateRecord } from '../engine/records.ts';
import { loadSingleton } from '../engine/singleton.ts';
import type { GardenSeeder } from './garden-seeder.ts';

/** A version by which the web app recognizes a device without a robot. [rule S9] */
const demoVersion = '100.0.0';
/** In mm. [rule S9] */
const demoSafeHeight = -150;

/** The bulletin for demo accounts; the console has it in its languages. [rule S11] */
export const demoBulletin = {
  slug: 'buy-a-farmbot',
  type: 'info',
  title: 'Get your own robot',
  href: 'https://farm.bot',
  href_label: 'See the robots',
  content:
    'Do you like the demo? A real robot sows, waters and weeds a bed in your garden, and you control it from this page.',
} as const;

const demoAlerts = [
  { problem_tag: 'api.demo_account.in_use', priority: 100 },
  { problem_tag: bulletinTag, priority: 9999, slug: demoBulletin.slug },
  { problem_tag: 'api.tour.not_taken', priority: 300 },
] as const;

/** Alerts of new devices that make no sense in a demo. */
const replacedAlerts: ReadonlySet<string> = new Set(['api.user.not_welcomed', 'api.seed_data.missing']);

const greeting = 'Hello! This is a demo garden: try whatever you like, nothing can break here.';

/** Applies the settings of a demo, before its garden is created. [rule S9] */
export async function setUpDemo(scope: DeviceScope): Promise<void> {
  await updateRecord(scope, webAppConfig, await loadSingleton(scope, webAppConfig), { discard_unsaved: true });
  await updateRecord(scope, fbosConfig, await loadSingleton(scope, fbosConfig), { safe_height: demoSafeHeight });
}

/** Creates a demo's alerts and its first log, after its garden. Existing alerts stay. [rule S9, S11] */
export async function welcomeVisitor(seeder: GardenSeeder): Promise<void> {
  const { scope } = seeder;
  await ensureBulletin(scope.server, demoBulletin);
  const there = await scope.rows(alerts);
  for (const alert of there) if (replacedAlerts.has(alert.problem_tag ?? '')) await deleteRecord(scope, alerts, alert);
  for (const alert of demoAlerts)
    if (!there.some(({ problem_tag }) => problem_tag === alert.problem_tag))
      await insertRecord(scope, alerts, { slug: randomUUID(), ...alert });
  await scope.insert(logs, { message: seeder.inWords(greeting), type: 'fun', verbosity: 3, channels: [] });
  await changeDevice(scope, await ownDevice(scope), { fbos_version: demoVersion });
}
