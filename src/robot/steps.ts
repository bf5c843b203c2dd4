import type { RpcRequestBodyItem } from 'farmbot';
import { assertion } from './assertion.ts';
import { executeScript, logMissing, takePhoto } from './farmware.ts';
import { sayOfRobot } from './log-messages.ts';
import { home, move, moveAbsolute, moveRelative, zero } from './movements.ts';
import { integerOf, type RobotNode, StepError, textOf, toPrintable } from './nodes.ts';
import { readPin, setPinIoMode, setServoAngle, togglePin, writePin } from './pins.ts';
import { updateResource } from './record-updates.ts';
import { execute, type RunSteps, runIf } from './sequence-steps.ts';
import type { MessageType, StepContext } from './step-context.ts';
import { filledIn } from './templates.ts';

/** Runs one step. Throws {@link StepError}. */
type Step = (step: RobotNode, context: StepContext, runSteps: RunSteps) => Promise<void> | void;

/** The kinds of steps that the JS library can send. */
export type StepKind = RpcRequestBodyItem['kind'];

/** Maximum duration of `wait`, in ms. [rule P11] */
export const maxWait = 180_000;

const messageTypes: readonly MessageType[] = ['assertion', 'busy', 'debug', 'error', 'fun', 'info', 'success', 'warn'];

const missing =
  (what: string): Step =>
  (_step, context) =>
    logMissing(what, context);

async function wait(step: RobotNode, { machine, actions, signal }: StepContext): Promise<void> {
  const milliseconds = integerOf(step, 'milliseconds', 0, maxWait);
  await machine.wait(milliseconds, signal);
  actions.log('info', sayOfRobot.waited(milliseconds), { verbosity: 2 });
}

function sendMessage(step: RobotNode, context: StepContext): void {
  const type = messageTypes.find((each) => each === step.args.message_type);
  if (!type) throw new StepError('There is no such type of message.');
  const channels = step.body.map((each) => textOf(each, 'channel_name'));
  context.actions.log(type, toPrintable(filledIn(textOf(step, 'message'), context)), { channels });
}

async function setUserEnv({ body }: RobotNode, { actions }: StepContext): Promise<void> {
  const values = new Map<string, string | null>();
  for (const pair of body) {
    const { value } = pair.args;
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
      throw new StepError('A variable of the environment must be text.');
    // The JS library sends the string `null` to delete a variable. [rule R13]
    values.set(textOf(pair, 'label'), value === 'null' ? null : String(value));
  }
  await actions.setEnvironment(values);
}

function calibrate(step: RobotNode, context: StepContext): Promise<void> {
  return home(step, context);
}

/** Returns whether the `package` of a `reboot` or `factory_reset` is the motor controller instead of the computer. */
const isBoard = (step: RobotNode): boolean => {
  const name = textOf(step, 'package');
  if (name !== 'farmbot_os' && name !== 'arduino_firmware')
    throw new StepError(`There is no package "${toPrintable(name, 40)}".`);
  return name === 'arduino_firmware';
};

function reboot(step: RobotNode, { machine, actions, afterwards }: StepContext): void {
  if (isBoard(step)) machine.restart();
  else afterwards(() => actions.reboot());
}

async function factoryReset(step: RobotNode, { machine, actions, afterwards }: StepContext): Promise<void> {
  if (isBoard(step)) {
    await actions.resetFirmware();
    machine.restart();
  } else afterwards(() => actions.factoryReset(sayOfRobot.factoryReset));
}

/** THE table of steps: the implementation of each kind that a program or request can contain. */
export const steps: Readonly<Record<StepKind, Step>> = {
  _if: runIf,
  assertion,
  calibrate,
  change_ownership: () => {
    throw new StepError('This virtual robot keeps its owner.');
  },
  check_updates: (_step, { actions }) => actions.log('success', sayOfRobot.upToDate),
  emergency_lock: (_step, { machine, actions, jobs }) => {
    machine.lock();
    jobs.clear();
    actions.log('warn', sayOfRobot.emergencyStop);
  },
  emergency_unlock: (_step, { machine, actions }) => {
    machine.unlock();
    actions.log('success', sayOfRobot.unlocked);
  },
  execute,
  execute_script: executeScript,
  factory_reset: factoryReset,
  find_home: home,
  flash_firmware: missing('motor controller'),
  home,
  install_farmware: missing('farmware'),
  install_first_party_farmware: missing('farmware'),
  lua: async (step, context) => void (await context.runLua(textOf(step, 'lua'), context)),
  move,
  move_absolute: moveAbsolute,
  move_relative: moveRelative,
  power_off: (_step, { actions, afterwards }) => afterwards(() => actions.end(sayOfRobot.poweredOff)),
  read_pin: readPin,
  read_status: (_step, { actions }) => actions.publishStatus(),
  reboot,
  remove_farmware: missing('farmware'),
  send_message: sendMessage,
  set_pin_io_mode: setPinIoMode,
  set_servo_angle: setServoAngle,
  set_user_env: setUserEnv,
  sync: (_step, { actions }) => actions.sync(),
  take_photo: (_step, context) => takePhoto(context),
  toggle_pin: togglePin,
  update_farmware: missing('farmware'),
  update_resource: updateResource,
  wait,
  write_pin: writePin,
  zero,
};

const byName: ReadonlyMap<string, Step> = new Map(Object.entries(steps));

/** Steps that need not wait for the machine: steps that stop it or do not use it. */
const immediate: ReadonlySet<string> = new Set<StepKind>([
  'check_updates',
  'emergency_lock',
  'emergency_unlock',
  'factory_reset',
  'power_off',
  'read_status',
  'reboot',
  'send_message',
  'set_user_env',
  'sync',
]);

/** Returns whether a step runs immediately, even while the machine is busy. */
export const isImmediate = ({ kind }: RobotNode): boolean => immediate.has(kind);

/** Runs steps in order. Throws {@link StepError}; the effects of earlier steps remain. */
export async function runSteps(list: readonly RobotNode[], context: StepContext): Promise<void> {
  for (const step of list) {
    context.signal.throwIfAborted();
    context.budget.use();
    const run = byName.get(step.kind);
    if (!run) throw new StepError(`There is no step "${toPrintable(step.kind, 40)}".`);
    await run(step, context, runSteps);
  }
}
