const formulaOf = (code: string): string => `return (${code})`;

/** Returns the code that a robot runs for Lua of a program: one line without `=` and `return` is an expression, and its value the result. [rule R21] */
export const runnableLua = (code: string): string => (/\n|=|return/.test(code) ? code : formulaOf(code));

/**
 * Returns a line of Lua as the expression that it may be meant to be: `get_tool{ id = 1 }.x` has a `=`, so that a robot takes it for a
 * statement, which fails. Null if a robot does not. [rule R21]
 */
export const misreadFormula = (code: string): string | null =>
  code.includes('=') && !/\n|return/.test(code) ? formulaOf(code) : null;
