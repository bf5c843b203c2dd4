import { type LuaDeclaration, luaFunctionGroups, signatureOf } from '../core/lua-functions.ts';

const lineOf = ([name, declaration]: readonly [string, LuaDeclaration]): string => {
  const { gives, does } = declaration;
  return `  ${signatureOf(name, declaration)}${gives === '' ? '' : ` -> ${gives}`}  -- ${does}`;
};

/** The functions that scripts of the robot can call, as a prompt. [rule R17] */
export const luaReference = `Luerl 1.2 runs on the robot: Lua 5.3 with the exceptions at the end. Coordinates and heights are millimetres, times milliseconds, "pin" is a pin number.
A script has statements on several lines; one line without "=" and "return" is an expression.
{a=, b=} is a table whose fields may be left out, ? an argument that may be left out.
${[...luaFunctionGroups].map(([subject, functions]) => `${subject}\n${[...functions].map(lineOf).join('\n')}`).join('\n')}
Exceptions of the robot's Lua
  There is no string.gmatch, goto, coroutine, xpcall, table.move, string.pack, <const>, <close>, no \\u in text, and no %f or %1 in patterns.
  "%.0f" in string.format ends the script: use "%d" with math.floor. Division by zero ends it, and so does a failed assert, even inside pcall.
  Numbers from text are floats and written as such: tonumber "17" gives 17.0. math.floor makes integers, for ids in URLs.
  A list ends at its first nil. pcall catches error, and gives its text. Write text in ASCII; utf8.char(176) is the degree sign.`;
