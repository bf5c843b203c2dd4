import { isObject } from '../../core/json.ts';
import { createNode, type RobotNode, StepError } from '../nodes.ts';
import type { StepContext } from '../step-context.ts';

/** The services for functions of scripts. */
export interface LuaScript {
  readonly context: StepContext;
  /** Runs a step of the command language. Throws {@link StepError}. */
  run(step: RobotNode): Promise<void>;
  /** Reports changes of a pin to the script from now on. */
  watch(pin: number): void;
}

/** A function of the robot that scripts call. */
export interface LuaFunction {
  /** The names of its parameters; `{}` if they are the fields of a table. */
  readonly takes: string;
  /** Returns a JSON value; undefined and null are nil. Throws {@link StepError} or `RobotError`. */
  readonly run: (call: RobotNode, script: LuaScript) => unknown;
}

export type LuaFunctions = Readonly<Record<string, LuaFunction>>;

/** Returns a call as a node whose kind is the function's name, so that its arguments are checked like steps'. */
export function callOf(name: string, { takes }: LuaFunction, values: readonly unknown[]): RobotNode {
  if (takes === '{}') {
    const [table = {}] = values;
    if (!isObject(table)) throw new StepError(`"${name}" needs a table.`);
    return createNode(name, table);
  }
  const names = takes === '' ? [] : takes.split(' ');
  return createNode(
    name,
    Object.fromEntries(
      names.flatMap((each, i) => (values[i] === undefined || values[i] === null ? [] : [[each, values[i]]])),
    ),
  );
}

/** Returns a table argument as a node, for functions that check its fields. Throws {@link StepError}. */
export function tableOf(call: RobotNode, name: string): RobotNode {
  const value = call.args[name];
  if (!isObject(value)) throw new StepError(`"${call.kind}" needs a table as "${name}".`);
  return createNode(call.kind, value);
}

/** Returns an argument as text; Lua passes numbers and booleans where text is meant. Throws {@link StepError}. */
export function wordsOf(call: RobotNode, name: string): string {
  const value = call.args[name];
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new StepError(`"${call.kind}" needs text as "${name}".`);
}
