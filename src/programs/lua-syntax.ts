import { loadedOnce } from '../core/loaded-once.ts';
import { toPlainLua } from '../core/lua-tokens.mjs';

/** Maximum memory of the parser, in bytes. A program has at most 256 KiB of text. */
const maxMemory = 4 * 2 ** 20;

/** The parser, from the first program with Lua on. */
const parser = loadedOnce(async () => {
  const { default: wasmoon } = await import('wasmoon');
  const lua = await new wasmoon.LuaFactory().getLuaModule();
  // Without any library: nothing is run.
  const global = new wasmoon.LuaGlobal(lua, true);
  global.setMemoryMax(maxMemory);
  return { lua, global };
});

/** Parses the robot's Lua without running it. Returns the error, as `line 3: '=' expected near 'x'`; null if it is Lua. */
export async function luaSyntaxProblem(code: string): Promise<string | null> {
  const { lua, global } = await parser();
  const state = global.address;
  const plain = toPlainLua(code);
  const pointer = lua.module.stringToNewUTF8(plain);
  const status = lua.luaL_loadbufferx(state, pointer, lua.module.lengthBytesUTF8(plain), '=line', 't');
  lua.module._free(pointer);
  const message = status === 0 ? null : lua.lua_tolstring(state, -1, null).replace(/^line:/, 'line ');
  // The function or the message.
  lua.lua_settop(state, 0);
  return message;
}
