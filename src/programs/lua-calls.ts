import { luaDeclarations, parametersOf, signatureOf } from '../core/lua-functions.ts';
import type { Message } from '../core/message.ts';
import type { LuaScript } from './lua-script.ts';
import type { ProblemCode } from './problem.ts';
import * as messages from './problem-messages.ts';

/** Functions of Lua itself that scripts call by name; lua-dialect.ts warns of functions that a robot lacks. */
const ownFunctions: ReadonlySet<string> = new Set([
  ...['assert', 'collectgarbage', 'dofile', 'eprint', 'error', 'getmetatable', 'ipairs', 'load', 'loadfile'],
  ...['loadstring', 'next', 'pairs', 'pcall', 'print', 'rawequal', 'rawget', 'rawlen', 'rawset', 'require', 'select'],
  ...['setmetatable', 'tonumber', 'tostring', 'type', 'unpack', 'warn', 'xpcall'],
]);

/** With these, a script has functions that no token of it names. */
const definers = ['_ENV', '_G', 'dofile', 'load', 'loadfile', 'loadstring', 'require'];

interface LuaWarning {
  readonly code: Extract<ProblemCode, 'unknown_function' | 'wrong_arguments'>;
  readonly line: number;
  readonly message: Message;
}

/** Returns calls of functions that neither Lua nor a robot has, and calls with arguments that a robot refuses or ignores. */
export function luaCallWarnings(script: LuaScript): LuaWarning[] {
  const definesMore = script.placesOf(...definers).length > 0;
  return script.calls().flatMap(({ name, line, count, isOpen }): LuaWarning[] => {
    const declaration = luaDeclarations.get(name);
    if (!declaration) {
      if (definesMore || ownFunctions.has(name)) return [];
      return [{ code: 'unknown_function', line, message: messages.unknownFunction(line, name) }];
    }
    const parameters = parametersOf(declaration);
    const required = parameters.filter(({ isOptional }) => !isOptional).length;
    // The last argument may be no value, or several.
    const isTooMany = count - (isOpen ? 1 : 0) > parameters.length && !parameters.some(({ isRest }) => isRest);
    const isTooFew = count < required && !isOpen && !declaration.ignoresMore;
    if (!isTooMany && !isTooFew) return [];
    const sentence = declaration.ignoresMore ? messages.ignoredArguments : messages.wrongArguments;
    return [{ code: 'wrong_arguments', line, message: sentence(line, signatureOf(name, declaration)) }];
  });
}
