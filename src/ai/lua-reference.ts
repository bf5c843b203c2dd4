import { type LuaDeclaration, luaFunctionGroups, signatureOf } from '../core/lua-functions.ts';

const lineOf = ([name, declaration]: readonly [string, LuaDeclaration]): string => {
  const { gives, does } = declaration;
  return `  ${signatureOf(name, declaration)}${gives === '' ? '' : ` -> ${gives}`}  -- ${does}`;
};

/** The functions that scripts of the robot can call, as a prompt. [rule R17] */
export const luaReference = `Lua 5.2 runs on the robot. Coordinates and heights are millimetres, times milliseconds, "pin" is a pin number.
A script has statements on several lines; one line without "=" and "return" is an expression.
{a=, b=} is a table whose fields may be left out, ? an argument that may be left out.
${[...luaFunctionGroups].map(([subject, functions]) => `${subject}\n${[...functions].map(lineOf).join('\n')}`).join('\n')}`;
