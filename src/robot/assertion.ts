import { sayOfRobot } from './log-messages.ts';
import { nodeOf, type RobotNode, StepError, textOf, toPrintable } from './nodes.ts';
import type { RunSteps } from './sequence-steps.ts';
import type { StepContext } from './step-context.ts';

/** The consequences of a failed assertion, by type. */
const consequences = {
  continue: { recovers: false, ends: false, failed: sayOfRobot.failedContinues },
  recover: { recovers: true, ends: false, failed: sayOfRobot.failedRecoversContinues },
  abort: { recovers: false, ends: true, failed: sayOfRobot.failedEnds },
  abort_recover: { recovers: true, ends: true, failed: sayOfRobot.failedRecoversEnds },
} as const;

const isType = (text: string): text is keyof typeof consequences => Object.hasOwn(consequences, text);

/** Returns the result of the Lua of an assertion. An error ends the program, whatever the type. [rule R32] */
async function evaluated(step: RobotNode, type: string, context: StepContext): Promise<unknown> {
  const { actions, signal } = context;
  try {
    return await context.runLua(textOf(step, 'lua'), context);
  } catch (error) {
    // After a stop the robot has another reason, which its response names.
    if (!signal.aborted) actions.log('assertion', sayOfRobot.notEvaluated, { assertion: { passed: false, type } });
    throw error;
  }
}

/** `assertion`: runs Lua, which passes only if it returns true. */
export async function assertion(step: RobotNode, context: StepContext, runSteps: RunSteps): Promise<void> {
  const type = textOf(step, 'assertion_type');
  if (!isType(type)) throw new StepError(`There is no assertion of type "${toPrintable(type, 40)}".`);
  const recovery = nodeOf(step, '_then');
  if (recovery.kind !== 'execute' && recovery.kind !== 'nothing')
    throw new StepError(`"${toPrintable(recovery.kind, 40)}" is not allowed as a branch of "assertion".`);
  const passed = (await evaluated(step, type, context)) === true;
  const { recovers, ends, failed } = consequences[type];
  context.actions.log('assertion', passed ? sayOfRobot.passed : failed, { assertion: { passed, type } });
  if (passed) return;
  if (recovers && recovery.kind === 'execute') await runSteps([recovery], context);
  if (ends) throw new StepError('An assertion failed.');
}
