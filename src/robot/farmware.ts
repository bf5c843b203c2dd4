import { photoSize, photoView } from './garden-picture.ts';
import { sayOfRobot } from './log-messages.ts';
import { type RobotNode, textOf, toPrintable } from './nodes.ts';
import { measureSoilHeight } from './soil.ts';
import type { StepContext } from './step-context.ts';

/** `take_photo`. */
export async function takePhoto(context: StepContext): Promise<void> {
  await context.camera.takePhoto(context.machine.position);
  context.actions.log('success', sayOfRobot.tookPhoto, { verbosity: 2 });
}

/** Takes a photo, but finds nothing in it. */
export async function detectWeeds(context: StepContext): Promise<void> {
  await takePhoto(context);
  logMissing('weed detection', context);
}

/** Stores the calibration of the simulated camera. */
export async function calibrateCamera({ actions, machine }: StepContext): Promise<void> {
  const calibration = {
    coord_scale: photoView.x / photoSize.x,
    center_pixel_location_x: photoSize.x / 2,
    center_pixel_location_y: photoSize.y / 2,
    total_rotation_angle: 0,
    camera_offset_x: 0,
    camera_offset_y: 0,
    camera_z: machine.position.z,
  };
  await actions.setEnvironment(
    new Map(Object.entries(calibration).map(([name, value]) => [`CAMERA_CALIBRATION_${name}`, String(value)])),
  );
  actions.log('success', sayOfRobot.calibrated, { verbosity: 2 });
}

/** Logs that the robot lacks something that a step needs; the program continues. */
export function logMissing(what: string, { actions }: StepContext): void {
  actions.log('warn', sayOfRobot.skipped(what));
}

/** Farmware that is simulated, by name. */
const simulated: ReadonlyMap<string, (context: StepContext) => Promise<void>> = new Map([
  ['take-photo', takePhoto],
  ['plant-detection', detectWeeds],
  ['camera-calibration', calibrateCamera],
  ['Measure Soil Height', measureSoilHeight],
]);

/** `execute_script`. */
export async function executeScript(step: RobotNode, context: StepContext): Promise<void> {
  const label = textOf(step, 'label');
  const run = simulated.get(label);
  if (run) await run(context);
  else logMissing(`farmware "${toPrintable(label, 60)}"`, context);
}
