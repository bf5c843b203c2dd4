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

/** Logs that the robot lacks something that a step needs; the program continues. */
export function logMissing(what: string, { actions }: StepContext): void {
  actions.log('warn', sayOfRobot.skipped(what));
}

/** Farmware that is simulated, by name. */
const simulated: ReadonlyMap<string, (context: StepContext) => Promise<void>> = new Map([
  ['take-photo', takePhoto],
  ['plant-detection', detectWeeds],
  ['Measure Soil Height', measureSoilHeight],
]);

/** `execute_script`. */
export async function executeScript(step: RobotNode, context: StepContext): Promise<void> {
  const label = textOf(step, 'label');
  const run = simulated.get(label);
  if (run) await run(context);
  else logMissing(`farmware "${toPrintable(label, 60)}"`, context);
}
