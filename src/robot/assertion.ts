import { nodeOf, type RobotNode, StepError, textOf, toPrintable } from './nodes.ts';
import type { RunSteps } from './sequence-steps.ts';
import type { StepContext } from './step-context.ts';

/** What follows a failed assertion, by type. */
const consequences = {
  continue: { recovers: false, ends: false, text: 'continues' },
  recover: { recovers: true, ends: false, text: 'recovers and continues' },
  abort: { recovers: false, ends: true, text: 'ends' },
  abort_recover: { recovers: true, ends: true, text: 'recovers and ends' },
} as const;

const isType = (text: string): text is keyof typeof consequences => Object.hasOwn(consequences, text);

/** `assertion`: runs Lua, which passes if it returns true. */
export async function assertion(step: RobotNode, context: StepContext, runSteps: RunSteps): Promise<void> {
  const type = textOf(step, 'assertion_type');
  if (!isType(type)) throw new StepError(`There is no assertion of type "${toPrintable(type, 40)}".`);
  const recovery = nodeOf(step, '_then');
  if (recovery.kind !== 'execute' && recovery.kind !== 'nothing')
    throw new StepError(`"${toPrintable(recovery.kind, 40)}" is not allowed as a branch of "assertion".`);
  const passed = (await context.runLua(textOf(step, 'lua'), context)) === true;
  const { recovers, ends, text } = consequences[type];
  const message = passed
    ? 'The assertion passed: the program continues.'
    : `The assertion failed: the program ${text}.`;
  context.actions.log('assertion', message, { assertion: { passed, type } });
  if (passed) return;
  if (recovers && recovery.kind === 'execute') await runSteps([recovery], context);
  if (ends) throw new StepError('An assertion failed.');
}
