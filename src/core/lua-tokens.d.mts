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
