#!/bin/sh
# wasmoon 1.16.0 (Lua 5.4 in WebAssembly): loadLibrary(LuaLibraries.UTF8) loads the library for strings again.
# Expected: the library utf8, with utf8.char and utf8.codepoint.
# Seen: utf8 is a second library of strings, without utf8.char, and methods of texts come from it: functions that a
# program puts into, or removes from, its `string` are no longer what ("text"):name() calls.
# Needs node and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund wasmoon@1.16.0 >/dev/null
cat >library.cjs <<'END'
const { LuaFactory, LuaGlobal, LuaLibraries } = require('wasmoon');
(async () => {
  const lua = await new LuaFactory().getLuaModule();
  const global = new LuaGlobal(lua, false);
  for (const library of [LuaLibraries.Base, LuaLibraries.String, LuaLibraries.UTF8]) global.loadLibrary(library);
  const state = global.address;
  const read = (code) => {
    lua.luaL_loadstring(state, code);
    lua.lua_pcallk(state, 0, 1, 0, 0, null);
    return lua.lua_tolstring(state, -1, null);
  };
  console.log('utf8.char(228):', read('return utf8.char(228) == "\\xE4" and "one byte" or "UTF-8"'));
  console.log('utf8.codepoint:', read('return type(utf8.codepoint)'));
  console.log('methods of texts are those of string:', read('return tostring(getmetatable("").__index == string)'));
})();
END
node library.cjs >seen
cat >expected <<'END'
utf8.char(228): one byte
utf8.codepoint: nil
methods of texts are those of string: false
END
diff expected seen

echo 'As found on 28 November 2026, with wasmoon 1.16.0.'
