import type { DeviceScope } from '../db/scope.ts';
import type { Notify } from '../device/notices.ts';
import { setUpDemo, welcomeVisitor } from './demo-device.ts';
import { equipDemo, haveCurves, haveWebcam, plantDemo } from './demo-garden.ts';
import { GardenBed } from './garden-bed.ts';
import type { Wish } from './product-lines.ts';
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
export interface Seeding extends Wish {
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
  const { product, stress, isDemo, picture } = seeding;
  const bed = new GardenBed(scope, notify);
  if (isDemo) await setUpDemo(scope);
  if (stress > 0) await applyStressSettings(scope, stress);
  const curveIds = isDemo ? await haveCurves(bed) : new Map<string, number>();
  if (product) {
    const names = await seedRobot(bed, product);
    const { unshared } = await seedPrograms(bed, product.programs, names, publisher);
    if (unshared.length > 0)
      await notify(scope, {
        message: `The publisher does not share ${unshared.join(', ')} at the moment: simpler ones were made instead.`,
      });
  }
  if (isDemo) {
    if (product) await haveWebcam(bed, product.frame);
    if (picture) await seedStress(scope, stress, picture);
    else await plantDemo(bed, product?.frame.bed ?? 'usual', curveIds);
    await equipDemo(bed);
    await welcomeVisitor(scope);
  }
  const { notice } = bed;
  if (notice) await notify(scope, { message: notice, channels: ['toast'] });
}
