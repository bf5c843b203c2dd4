import { isObject } from '../../core/json.ts';
import { type LuaDeclaration, type LuaFunctionName, parametersOf, signatureOf } from '../../core/lua-functions.ts';
import type { Message } from '../../core/message.ts';
import { sayOfRobot } from '../log-messages.ts';
import { createNode, hasArg, type RobotNode, StepError, toPrintable } from '../nodes.ts';
import { RobotError } from '../robot-api.ts';
import type { StepContext } from '../step-context.ts';

/** The services for functions of scripts. */
export interface LuaScript {
  readonly context: StepContext;
  /** Runs a step of the command language. Throws {@link StepError}. */
  run(step: RobotNode): Promise<void>;
  /** Reports changes of a pin to the script from now on. */
  watch(pin: number): void;
}

/** Several results of a function. */
export class Results {
  readonly values: readonly unknown[];

  constructor(...values: readonly unknown[]) {
    this.values = values;
  }
}

/**
 * A function of the robot that scripts call. Returns a JSON value or {@link Results}; undefined and null are nil. Throws
 * {@link StepError} or `RobotError`.
 */
export type LuaFunction = (call: RobotNode, script: LuaScript) => unknown;

/** Functions that the thread of scripts has itself. */
type OwnOfThread = 'inspect' | 'json.decode' | 'json.encode';

export type LuaFunctions = Readonly<Record<Exclude<LuaFunctionName, OwnOfThread>, LuaFunction>>;
/** Some of them. */
export type SomeLuaFunctions = Partial<LuaFunctions>;

/** The robot OS's own words for an argument that no form of a function takes. */
const wrongArguments = 'Function clause error. Check number of arguments and their types.';

/** Returns a call as a node whose kind is the function's name, so that its arguments are checked like steps'. `warn` receives the arguments that a robot ignores. */
export function callOf(
  name: string,
  declaration: LuaDeclaration,
  values: readonly unknown[],
  warn: (message: Message) => void,
): RobotNode {
  const parameters = parametersOf(declaration);
  const [rest] = parameters.filter(({ isRest }) => isRest);
  if (rest) return createNode(name, { [rest.name]: values });
  const missing = parameters.slice(values.length).some(({ isOptional }) => !isOptional);
  const isTooMany = values.length > parameters.length;
  if (!declaration.ignoresMore && (missing || isTooMany))
    throw new StepError(`${wrongArguments} It is ${signatureOf(name, declaration)}.`);
  if (isTooMany) warn(sayOfRobot.ignoresArguments(signatureOf(name, declaration)));
  for (const [i, { fields }] of parameters.entries()) {
    const table = values[i];
    if (!fields || !isObject(table)) continue;
    for (const field of Object.keys(table))
      if (!fields.includes(field)) warn(sayOfRobot.ignoresField(name, toPrintable(field, 60)));
  }
  const args = parameters.flatMap((each, i) =>
    values[i] === undefined || values[i] === null ? [] : [[each.name, values[i]]],
  );
  return createNode(name, Object.fromEntries(args));
}

/** Returns a table argument as a node, for functions that check its fields. Throws {@link StepError}. */
export function tableOf(call: RobotNode, name: string): RobotNode {
  const value = call.args[name];
  // An empty table of Lua is an object.
  if (!isObject(value)) throw new StepError(`"${call.kind}" needs a table as "${name}".`);
  return createNode(call.kind, value);
}

/** Returns a table argument that may be left out. Throws {@link StepError}. */
export const optionsOf = (call: RobotNode, name: string): RobotNode =>
  hasArg(call, name) ? tableOf(call, name) : createNode(call.kind);

/** Returns an argument as text; Lua passes numbers and booleans where text is meant. Throws {@link StepError}. */
export function wordsOf(call: RobotNode, name: string): string {
  const value = call.args[name];
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new StepError(`"${call.kind}" needs text as "${name}".`);
}

/** Returns a wrong use that ends a script on a robot. */
export const wrongCall = (problem: string): StepError => new StepError(`${wrongArguments} ${problem}`);

/** Does something for a script. Returns null, or the reason why it failed, which is logged unless the script gets it. Throws the reason of a stop. */
export async function failureOf(work: () => unknown, { context: { signal } }: LuaScript): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof StepError || error instanceof RobotError) return toPrintable(error.message);
    throw error;
  }
}

/** Does something for a script. Returns true, or nil and the reason why it failed. */
export async function outcomeOf(work: () => unknown, script: LuaScript): Promise<unknown> {
  const problem = await failureOf(work, script);
  return problem === null ? true : new Results(null, problem);
}
