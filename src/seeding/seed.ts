import type { Language } from '../core/languages.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { Notify } from '../device/notice.ts';
import { setUpDemo, welcomeVisitor } from './demo-device.ts';
import { ensureCurves, ensureWebcam, equipDemo, plantDemo } from './demo-garden.ts';
import { GardenSeeder } from './garden-seeder.ts';
import { noticesIn } from './notice-texts.ts';
import type { SeedPlan } from './product-lines.ts';
import { seedPrograms } from './program-seeds.ts';
import { seedRobot } from './robot-seeds.ts';
import type { SoilPhoto } from './soil-photo.ts';
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
  /** The image of stress test photos; null without a stress test. */
  readonly picture: SoilPhoto | null;
}

/** Creates the garden of an account and announces it. Must run in a transaction. Throws 422 if the account has no room. [rule S1, decision 38] */
export async function seed(
  scope: DeviceScope,
  seeding: Seeding,
  { notify, publisher }: SeedingServices,
): Promise<void> {
  const { product, stressCount, isDemo, language, picture } = seeding;
  const seeder = new GardenSeeder(scope, notify, language);
  if (isDemo) await setUpDemo(scope);
  if (stressCount > 0) await applyStressSettings(scope, stressCount);
  const curveIds = isDemo ? await ensureCurves(seeder) : new Map<string, number>();
  if (product) {
    const names = await seedRobot(seeder, product);
    const { unshared } = await seedPrograms(seeder, product.programs, names, publisher);
    if (unshared.length > 0)
      await notify(scope, {
        message: (language) => noticesIn(language).unshared(unshared.join(', ')),
      });
  }
  if (isDemo) {
    if (product) await ensureWebcam(seeder, product.frame);
    if (picture) await seedStress(scope, stressCount, picture);
    else await plantDemo(seeder, product?.frame.bed ?? 'standard', curveIds);
    await equipDemo(seeder);
    await welcomeVisitor(seeder);
  }
  const { notice } = seeder;
  if (notice) await notify(scope, { message: notice, channels: ['toast'] });
}
