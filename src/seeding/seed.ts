import type { Language } from '../core/languages.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { Notify } from '../device/notice.ts';
import { setUpDemo, welcomeVisitor } from './demo-device.ts';
import { ensureCurves, ensureWebcam, equipDemo, plantDemo } from './demo-garden.ts';
import { seedMoisture } from './demo-moisture.ts';
import type { DemoPast } from './demo-past.ts';
import { layPhotos } from './demo-photos.ts';
import { seedPlan } from './demo-plan.ts';
import { hasSchedule, hasSoilSensor, seedSchedule } from './demo-schedule.ts';
import { GardenSeeder } from './garden-seeder.ts';
import { noticesIn } from './notice-texts.ts';
import type { SeedPlan } from './product-lines.ts';
import { seedPrograms } from './program-seeds.ts';
import { measureMoisture } from './programs/measuring.ts';
import { seedRobot } from './robot-seeds.ts';
import type { StoredPhoto } from './stored-photos.ts';
import { applyStressSettings, seedStress } from './stress-garden.ts';

/** The dependencies of seeding. */
export interface SeedingServices {
  readonly notify: Notify;
  /** The e-mail address of the account whose programs are installed; null for none. */
  readonly publisher: string | null;
}

/** The parameters of a seeding. */
export interface Seeding extends SeedPlan {
  readonly isDemo: boolean;
  readonly language: Language;
  /** The past of a demo garden; null: it begins now. */
  readonly past: DemoPast | null;
  /** The stored photos of the past, or the one of a stress test. */
  readonly photos: readonly StoredPhoto[];
}

/** Creates the garden of an account and announces it. Must run in a transaction. Throws 422 if the account has no room. [rule S1, decision 38] */
export async function seed(scope: DeviceScope, seeding: Seeding, services: SeedingServices): Promise<void> {
  const { notify, publisher } = services;
  const { product, stressCount, isDemo, language, past, photos } = seeding;
  const seeder = new GardenSeeder(scope, notify, language);
  if (isDemo) await setUpDemo(scope);
  if (stressCount > 0) await applyStressSettings(scope, stressCount);
  const curveIds = isDemo ? await ensureCurves(seeder, past !== null) : new Map<string, number>();
  let programIds: ReadonlyMap<string, number> = new Map();
  if (product) {
    const names = await seedRobot(seeder, product);
    const programs = past && hasSoilSensor(past) ? [...product.programs, measureMoisture] : product.programs;
    const { unshared, ids } = await seedPrograms(seeder, programs, names, publisher);
    programIds = ids;
    if (unshared.length > 0)
      await notify(scope, {
        message: (language) => noticesIn(language).unshared(unshared.join(', ')),
      });
  }
  if (isDemo) {
    if (product) await ensureWebcam(seeder, product.frame);
    const [stressPhoto] = photos;
    let watched: number | null = null;
    if (stressCount > 0 && stressPhoto) await seedStress(scope, stressCount, stressPhoto);
    else watched = await plantDemo(seeder, product, curveIds, past);
    await equipDemo(seeder, past !== null);
    // Seeded again, it is there.
    if (past?.product && !(await hasSchedule(seeder))) {
      await seedSchedule(seeder, past, programIds, watched);
      await seedMoisture(scope, past);
      await layPhotos(scope, past, photos);
      await seedPlan(seeder, past);
    }
    await welcomeVisitor(seeder);
  }
  const { notice } = seeder;
  if (notice) await notify(scope, { message: notice, channels: ['toast'] });
}
