/** Returns what a robot runs for Lua of a program: one line without `=` and `return` is an expression, and its value the result. [rule R21] */
export const runnableLua = (code: string): string => (/\n|=|return/.test(code) ? code : `return (${code})`);
