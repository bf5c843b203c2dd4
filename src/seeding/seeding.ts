import type { DeviceScope } from '../db/scope.ts';
import type { Notify } from '../device/notices.ts';
import { setUpDemo, welcomeVisitor } from './demo-device.ts';
import { ensureCurves, ensureWebcam, equipDemo, plantDemo } from './demo-garden.ts';
import { GardenSeeder } from './garden-seeder.ts';
import type { SeedPlan } from './product-lines.ts';
import { seedPrograms } from './program-seeds.ts';
import { seedRobot } from './robot-seeds.ts';
import type { SoilPhoto } from './soil-photo.ts';
import { applyStressSettings, seedStress } from './stress-garden.ts';

/** What seeding needs from elsewhere. */
export interface SeedingServices {
  readonly notify: Notify;
  /** The e-mail address of whoever shares programs with everybody; null: nobody. */
  readonly publisher: string | null;
}

/** What an account asked for. */
export interface Seeding extends SeedPlan {
  readonly isDemo: boolean;
  /** The picture that a demo's many photos show; null where there are none. */
  readonly picture: SoilPhoto | null;
}

/** Makes the garden of an account, inside a transaction; everything is announced. Throws 422 for what the account has no room for. [reference 5, 6] */
export async function seed(
  scope: DeviceScope,
  seeding: Seeding,
  { notify, publisher }: SeedingServices,
): Promise<void> {
  const { product, stressCount, isDemo, picture } = seeding;
  const bed = new GardenSeeder(scope, notify);
  if (isDemo) await setUpDemo(scope);
  if (stressCount > 0) await applyStressSettings(scope, stressCount);
  const curveIds = isDemo ? await ensureCurves(bed) : new Map<string, number>();
  if (product) {
    const names = await seedRobot(bed, product);
    const { unshared } = await seedPrograms(bed, product.programs, names, publisher);
    if (unshared.length > 0)
      await notify(scope, {
        message: `The publisher does not share ${unshared.join(', ')} at the moment: simpler ones were made instead.`,
      });
  }
  if (isDemo) {
    if (product) await ensureWebcam(bed, product.frame);
    if (picture) await seedStress(scope, stressCount, picture);
    else await plantDemo(bed, product?.frame.bed ?? 'usual', curveIds);
    await equipDemo(bed);
    await welcomeVisitor(scope);
  }
  const { notice } = bed;
  if (notice) await notify(scope, { message: notice, channels: ['toast'] });
}
