/** A token of Lua. `start`: its index in the source; `line`: of its first character, from 1. */
export interface LuaToken {
  readonly kind: 'comment' | 'text' | 'name' | 'number' | 'symbol' | 'bad';
  readonly text: string;
  readonly start: number;
  readonly line: number;
}

/**
 * Splits Lua into tokens as the robot's Lua does: only `--[[` begins a comment of several lines. Spaces are left out. `bad` is text
 * or a comment without an end, and the last token.
 */
export function luaTokens(source: string): LuaToken[];

/** Returns the text of a token as Lua 5.4 must have it to read it like the robot. */
export function plainTextOf(token: LuaToken): string;

/** Returns a script of the robot that Lua 5.4 can compile if it is Lua for the robot: with its texts and comments, not its operators. */
export function toPlainLua(source: string): string;
