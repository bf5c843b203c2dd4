import { misreadFormula, runnableLua } from '../../core/lua-formula.ts';
import { type LuaDeclaration, luaDeclarations } from '../../core/lua-functions.ts';
import type { Message } from '../../core/message.ts';
import { StepError } from '../nodes.ts';
import type { RunSteps } from '../sequence-steps.ts';
import type { StepContext } from '../step-context.ts';
import { dayOfCurve } from './curve-functions.ts';
import { callOf, type LuaFunction, type LuaScript, Results } from './lua-function.ts';
import { luaFunctions } from './lua-functions.ts';
import { type LuaLimits, LuaThread, type PinChange, type ScriptScheduler } from './lua-thread.ts';

/** A function that only robot-functions.lua calls. */
const dayDeclaration: LuaDeclaration = { takes: 'data, day', gives: 'a number', does: '', ignoresMore: true };

interface DeclaredFunction {
  readonly declaration: LuaDeclaration;
  readonly run: LuaFunction;
}

const functions: ReadonlyMap<string, DeclaredFunction> = new Map([
  ...[...luaDeclarations].flatMap(([name, declaration]) => {
    const run = luaFunctions.get(name);
    return run ? [[name, { declaration, run }] as const] : [];
  }),
  ['day of curve', { declaration: dayDeclaration, run: dayOfCurve }] as const,
]);

/** The environment variable of the account with which a program asks for another Lua than the robot's. */
export const luaVariable = 'VIRTUAL_ROBOT_LUA';

/** Runs scripts of the command language. */
export class LuaRunner {
  readonly #thread: LuaThread;
  readonly #runSteps: RunSteps;

  /** `sentenceOf` describes errors of functions. `scheduler`: when scripts compute; by default at any time. */
  constructor(
    runSteps: RunSteps,
    sentenceOf: (error: unknown) => string,
    {
      limits,
      scheduler,
    }: { readonly limits?: LuaLimits | undefined; readonly scheduler?: ScriptScheduler | undefined } = {},
  ) {
    this.#thread = new LuaThread([...luaDeclarations.keys()], sentenceOf, limits, scheduler);
    this.#runSteps = runSteps;
  }

  /** Runs a script in a context and returns its first result. Throws {@link StepError}. */
  run(code: string, context: StepContext): Promise<unknown> {
    const { account, machine, budget, signal } = context;
    const watched = new Map<number, number | undefined>();
    const pinValue = (pin: number) => machine.pins.get(`${pin}`)?.value;
    const script: LuaScript = {
      context,
      run: (step) => this.#runSteps([step], context),
      watch: (pin) => watched.set(pin, pinValue(pin)),
    };
    const changes = (): PinChange[] =>
      [...watched].flatMap(([pin, before]) => {
        const value = pinValue(pin);
        if (value === undefined || value === before) return [];
        watched.set(pin, value);
        return [{ pin, value }];
      });
    const warned = new Set<string>();
    const warn = (message: Message) => {
      if (!warned.has(String(message))) context.actions.log('warn', message);
      warned.add(String(message));
    };
    const call = async (name: string, args: readonly unknown[]) => {
      budget.use();
      const found = functions.get(name);
      if (!found) throw new StepError(`There is no function "${name}".`);
      const value = await found.run(callOf(name, found.declaration, args, warn), script);
      return { results: value instanceof Results ? value.values : [value], changes: changes() };
    };
    const isStandard = account.environment[luaVariable] === 'standard';
    const program = { code: runnableLua(code), formula: misreadFormula(code), isStandard };
    return this.#thread.run(program, call, signal, (message) => context.actions.log('warn', message));
  }

  /** Ends a running script. */
  stop(): void {
    this.#thread.stop();
  }
}
