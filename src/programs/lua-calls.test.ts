import { expect, it, vi } from 'vitest';
import { luaCallWarnings } from './lua-calls.ts';
import { luaDialectWarnings } from './lua-dialect.ts';
import { LuaScript } from './lua-script.ts';

const warnings = (code: string): string[] => luaCallWarnings(new LuaScript(code)).map(({ message }) => String(message));

it.each([
  ['local x = 1\nget_plnts()', 'Line 2: neither Lua nor a robot has a function "get_plnts".'],
  ['water_all{ 1 }', 'Line 1: neither Lua nor a robot has a function "water_all".'],
  ['read_pin()', 'Line 1: these arguments end the script on a robot. It is read_pin(pin, mode?).'],
  ['read_pin(63, "digital", 5)', 'Line 1: these arguments end the script on a robot. It is read_pin(pin, mode?).'],
  ['toast("a", "b", "c")', 'Line 1: these arguments end the script on a robot. It is toast(message, type?).'],
  [
    'watch_pin(59, function() local a, b = 1, 2 end, 3)',
    'Line 1: these arguments end the script on a robot. It is watch_pin(pin, action).',
  ],
  ['safe_z(1)', 'Line 1: a robot ignores some of these arguments. It is safe_z().'],
])('warns of %j', (code, warning) => {
  expect(warnings(code)).toEqual([warning]);
});

it.each([
  'local function go() end go()',
  'function go() end\ngo()',
  'go = variable("Go")\ngo()',
  'each(function(cell, action) action(cell) end)\nlocal function each(f) f() end',
  'local t = {}\nt.go() t:stop()',
  'if (x) then return (y) end while (a) do end',
  'load("function go() end")() go()',
  'toast(f(), g())\nlocal f, g',
  'soil_height(place()) toast(table.unpack(list)) place = 1',
  'move_absolute(1, 2, 3) move_absolute{ x = 1 } get_tool{ id = 1 } env"key" wait(5)',
  'read_status("a", "b", "c") print("a", 1, nil) toast("a" .. tostring(5))',
  'watch_pin(59, function(data)\nlocal a, b = 1, 2\nend)',
  'watch_pin(59, function(data) for i, v in ipairs(data) do toast(v, i) end end)',
  'watch_pin(59, function(data) if data then return 1, 2 elseif a then return 3, 4 else return 5, 6 end end)',
  'watch_pin(59, function(a, b) repeat local c, d = a, b until c while a do c, d = d, c end end)',
  '-- gone()\ntoast("gone()")',
])('accepts %j', (code) => {
  expect(warnings(code)).toEqual([]);
});

it.each([
  ['nested calls', (size: number) => 'f('.repeat(size)],
  ['many arguments', (size: number) => `load(${'1,'.repeat(size)}1)`],
  ['methods', (size: number) => 'a:find('.repeat(size)],
  ['blocks', (size: number) => 'function f(a) do load('.repeat(size)],
])('looks at each token a few times: %s', (_, script) => {
  const at = vi.spyOn(LuaScript.prototype, 'at');
  const looks = (size: number): number => {
    at.mockClear();
    const read = new LuaScript(script(size));
    luaCallWarnings(read);
    luaDialectWarnings(read);
    return at.mock.calls.length;
  };
  expect(looks(2000)).toBeLessThan(3 * looks(1000));
});
