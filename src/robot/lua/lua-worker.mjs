// The thread that runs Lua. It blocks while it waits for the robot, so that the robot's functions return only when they are done.
import { readFileSync, readlinkSync } from 'node:fs';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import wasmoon from 'wasmoon';
import { toPlainLua } from '../../core/lua-tokens.mjs';
import { operatorNames, toStandardLua } from './robot-lua.mjs';

/** Limits of values between Lua and the robot. */
const maxDepth = 20;
const maxValues = 50_000;
const maxTextBytes = 1024 * 1024;

const { LuaEventMasks, LuaGlobal, LuaFactory, LuaLibraries, LuaReturn, LuaType } = wasmoon;
const { wakes, names, memory, slice } = workerData;
try {
  wakes[1] = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
} catch {
  // Only Linux has it: elsewhere the clock is looked at.
}
const lua = await new LuaFactory().getLuaModule();

/** No IO, debug and package library, and of the OS library only the time. */
const libraries = [
  LuaLibraries.Base,
  LuaLibraries.Coroutine,
  LuaLibraries.Table,
  LuaLibraries.String,
  LuaLibraries.Math,
  LuaLibraries.OS,
];

/** The number of instructions between two looks at the clock. */
const instructionsPerLook = 500;

/** When the script has to pause, by performance.now(). */
let sliceEnd = 0;

/** Waits for the next message, with which the next slice of computing begins. */
function nextMessage() {
  for (;;) {
    const count = Atomics.load(wakes, 0);
    const received = receiveMessageOnPort(parentPort);
    if (received) {
      sliceEnd = performance.now() + slice;
      return received.message;
    }
    Atomics.wait(wakes, 0, count);
  }
}

/** Waits until the script may compute again. */
function pause() {
  parentPort.postMessage({ kind: 'paused' });
  nextMessage();
}

/** Throws if a value exceeds the limits; `left` counts values and the bytes of text. */
function use(left, depth, bytes) {
  left.values--;
  left.bytes -= bytes;
  if (depth > maxDepth) throw new Error(`A value is nested more than ${maxDepth} deep.`);
  if (left.values < 0) throw new Error(`A value has more than ${maxValues} parts.`);
  if (left.bytes < 0) throw new Error(`A value has more than ${maxTextBytes} bytes of text.`);
}

const limits = () => ({ values: maxValues, bytes: maxTextBytes, functions: null, longest: 0 });

/** A robot passes the elements of longer lists in the order of Erlang's larger maps. */
const maxOrdered = 32;

/** The running script is one of standard Lua; whether it has passed a list that a robot passes in another order. */
let [isStandard, hasLongList] = [false, false];

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Returns the text at an index, with U+FFFD for bytes that are none: the module's own function ends at a NUL, prints a warning, and reads beyond the end. */
function textAt(state, index) {
  const start = lua.module._lua_tolstring(state, index, 0);
  return decoder.decode(lua.module.HEAPU8.subarray(start, start + Number(lua.lua_rawlen(state, index))));
}

/** Returns a pointer to a copy of text for Lua, which must be freed. */
const copied = (text) => lua.module.stringToNewUTF8(text.toWellFormed());

/** Returns the value at an absolute index of the stack. Throws an Error; never raises a Lua error. */
function read(state, index, left = limits(), depth = 0) {
  switch (lua.lua_type(state, index)) {
    case LuaType.Nil:
      return null;
    case LuaType.Boolean:
      return Boolean(lua.lua_toboolean(state, index));
    case LuaType.Number:
      use(left, depth, 8);
      return lua.lua_tonumberx(state, index, null);
    case LuaType.String:
      use(left, depth, Number(lua.lua_rawlen(state, index)));
      return textAt(state, index);
    case LuaType.Table:
      use(left, depth, 0);
      return readTable(state, index, left, depth + 1);
    default:
      // As robots write them in JSON.
      if (left.functions !== null && lua.lua_type(state, index) === LuaType.Function) return left.functions;
      throw new Error('Only numbers, text, booleans and tables can be passed to the robot.');
  }
}

/** In standard Lua, a table with the keys 1 to n becomes a list; in the robot's, any table whose keys are numbers. Any other one is an object. */
function readTable(state, index, left, depth) {
  if (!lua.lua_checkstack(state, 4)) throw new Error('The stack is full.');
  const length = Number(lua.lua_rawlen(state, index));
  const entries = [];
  let isList = true;
  lua.lua_pushnil(state);
  while (lua.lua_next(state, index)) {
    const top = lua.lua_gettop(state);
    const key = read(state, top - 1, left, depth);
    if (typeof key !== 'string' && typeof key !== 'number') throw new Error('A key must be text or a number.');
    entries.push([key, read(state, top, left, depth)]);
    lua.lua_settop(state, top - 1);
    isList &&= typeof key === 'number' && (!isStandard || (Number.isInteger(key) && key >= 1 && key <= length));
  }
  const isWhole = !isStandard || entries.length === length;
  // Sorted, because the order of Lua's tables varies.
  if (!isList || !isWhole || entries.length === 0)
    return Object.fromEntries(entries.sort(([a], [b]) => (`${a}` < `${b}` ? -1 : 1)));
  if (!isStandard) left.longest = Math.max(left.longest, entries.length);
  // Keys of Erlang's maps: whole numbers are before others.
  const rank = (key) => (Number.isInteger(key) ? 0 : 1);
  return entries.sort(([a], [b]) => rank(a) - rank(b) || a - b).map(([, value]) => value);
}

/** Throws if a value for Lua exceeds the limits. */
function check(value, left = limits(), depth = 0) {
  use(left, depth, typeof value === 'string' ? Buffer.byteLength(value) : 8);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, each] of Object.entries(value)) {
    use(left, depth, Buffer.byteLength(key));
    check(each, left, depth + 1);
  }
}

/** Pushes a checked value. May raise a Lua error, which must not be caught. */
function push(state, value) {
  if (typeof value === 'boolean') lua.lua_pushboolean(state, value ? 1 : 0);
  else if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) lua.lua_pushinteger(state, BigInt(value));
    else lua.lua_pushnumber(state, value);
  } else if (typeof value === 'string') pushText(state, value);
  else if (typeof value === 'object' && value !== null) pushTable(state, value);
  else lua.lua_pushnil(state);
}

function pushText(state, text) {
  // On the heap, because the stack of the module is small.
  const pointer = copied(text);
  try {
    // With its length: a NUL does not end it.
    lua.module._lua_pushlstring(state, pointer, Buffer.byteLength(text));
  } finally {
    lua.module._free(pointer);
  }
}

function pushTable(state, value) {
  lua.luaL_checkstack(state, 4, null);
  lua.lua_createtable(state, 0, 0);
  const isList = Array.isArray(value);
  for (const [key, each] of Object.entries(value)) {
    if (each === null || each === undefined) continue;
    push(state, isList ? Number(key) + 1 : key);
    push(state, each);
    lua.lua_rawset(state, -3);
  }
}

const encode = (value) => [JSON.stringify(value ?? null)];

/** Throws at a number that is too great for a robot. */
function finite(_key, value) {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error('The number is too great.');
  return value;
}

/** Functions that need no robot: each returns its results. */
const own = {
  plain_lua: (text) => [toPlainLua(String(text))],
  standard_lua: (text) => [toStandardLua(String(text))],
  time: () => [Date.now() / 1000],
  'json.encode': encode,
  'json.decode': (text) => {
    try {
      return [JSON.parse(String(text), finite)];
    } catch {
      return [null, 'Error parsing JSON.'];
    }
  },
  inspect: encode,
};

/** Calls a function, here or of the robot, and returns the result for Lua. */
function responseTo(name, args) {
  if (Object.hasOwn(own, name)) return { succeeded: true, results: own[name](...args) };
  parentPort.postMessage({ kind: 'call', name, args });
  for (;;) {
    const message = nextMessage();
    if (message.kind === 'response') return message;
    run(message);
  }
}

/** The function `call` of robot-functions.lua. */
function call(state) {
  let response;
  try {
    const left = limits();
    const name = read(state, 1, left);
    if (Object.hasOwn(own, name)) left.functions = '[Lua Function]';
    const args = Array.from({ length: lua.lua_gettop(state) - 1 }, (_, i) => read(state, i + 2, left));
    // `sort` orders them again.
    if (left.longest > maxOrdered && !hasLongList && name !== 'sort') {
      hasLongList = true;
      parentPort.postMessage({ kind: 'longList' });
    }
    response = responseTo(name, args);
    check([response.results, response.changes]);
  } catch (error) {
    response = { succeeded: false, results: [error.message] };
  }
  const results = [response.succeeded, response.changes, ...response.results];
  for (const result of results) push(state, result);
  return results.length;
}

const callPointer = lua.module.addFunction(call, 'ii');

const hookPointer = lua.module.addFunction(() => {
  if (performance.now() >= sliceEnd) pause();
}, 'vii');

/** Compiles text; the function or the error is left on the stack. */
function compile(state, text, name) {
  const pointer = copied(text);
  try {
    return lua.luaL_loadbufferx(state, pointer, Buffer.byteLength(text), name, 't');
  } finally {
    lua.module._free(pointer);
  }
}

/** Calls the function below its arguments, which are numbers of values on the stack; the result or the error is left. */
const callWith = (state, args, results) => lua.lua_pcallk(state, args, results, 0, 0, null) === LuaReturn.Ok;

/** Compiles a script of the robot; the function or the error is left on the stack. */
function compileRobotLua(state, code) {
  if (compile(state, toPlainLua(code), '=line') !== LuaReturn.Ok) return false;
  lua.lua_settop(state, -2);
  try {
    return compile(state, toStandardLua(code), '=line') === LuaReturn.Ok;
  } catch (error) {
    pushText(state, error.message);
    return false;
  }
}

/** Compiles a script, or else its formula; the function or the error is left on the stack. Returns the kind of the function; null for an error. */
function compileScript(state, { code, formula }) {
  const compiles = (text) =>
    isStandard ? compile(state, text, '=line') === LuaReturn.Ok : compileRobotLua(state, text);
  if (compiles(code)) return 'script';
  if (formula === null) return null;
  const problem = topOf(state);
  lua.lua_settop(state, -2);
  if (compiles(formula)) return 'formula';
  lua.lua_settop(state, -2);
  pushText(state, problem);
  return null;
}

/** Runs a script in a new state and returns the message with its result. Errors outside of Lua end the thread. */
function outcomeOf(program) {
  const global = new LuaGlobal(lua, true);
  const state = global.address;
  for (const library of libraries) global.loadLibrary(library);
  // For LuaLibraries.UTF8, wasmoon loads the library for strings again.
  lua.luaopen_utf8(state);
  lua.lua_setglobal(state, 'utf8');
  global.setMemoryMax(memory);
  lua.lua_sethook(state, hookPointer, LuaEventMasks.Count, instructionsPerLook);
  const isPrepared =
    prepare(state, sandbox, names, 0) &&
    prepare(state, robotFunctions, names, 0) &&
    (isStandard || prepare(state, dialect, operatorNames, 1));
  const kind = isPrepared ? compileScript(state, program) : null;
  const succeeded = kind !== null && callWith(state, isStandard ? 0 : 1, 1);
  const value = topOf(state);
  // Before the result is sent: finalizers of the script are subject to its limits too.
  global.close();
  const problem = typeof value === 'string' ? value : 'The script raised an error that is not text.';
  return { kind: 'result', succeeded, value: succeeded ? value : problem, isFormula: kind === 'formula' };
}

/** Returns files of Lua, each of which continues the one before, in compiled form: they are loaded before each script. */
function compiledFiles(...names) {
  const global = new LuaGlobal(lua, true);
  const state = global.address;
  global.loadLibrary(LuaLibraries.String);
  lua.lua_getglobal(state, LuaLibraries.String);
  lua.lua_getfield(state, -1, 'dump');
  const texts = names.map((name) => readFileSync(new URL(`./${name}.lua`, import.meta.url), 'utf8'));
  compile(state, texts.join('\n'), `=${names[0]}`);
  callWith(state, 1, 1);
  const start = lua.module._lua_tolstring(state, -1, 0);
  const bytes = lua.module.HEAPU8.slice(start, start + Number(lua.lua_rawlen(state, -1)));
  global.close();
  return bytes;
}

const sandbox = compiledFiles('sandbox');
const robotFunctions = compiledFiles('robot-functions');
const dialect = compiledFiles('dialect', 'dialect-basics', 'dialect-strings', 'dialect-numbers');

/** Runs a compiled file of Lua with the function `call` and a list; its results or the error are left on the stack. */
function prepare(state, bytes, list, results) {
  const pointer = lua.module._malloc(bytes.length);
  lua.module.HEAPU8.set(bytes, pointer);
  const status = lua.luaL_loadbufferx(state, pointer, bytes.length, 'sandbox', 'b');
  lua.module._free(pointer);
  if (status !== LuaReturn.Ok) return false;
  lua.lua_pushcclosure(state, callPointer, 0);
  push(state, list);
  return callWith(state, 2, results);
}

/** Returns the value at the top of the stack; null for one that cannot be passed to the robot. */
function topOf(state) {
  try {
    return read(state, lua.lua_gettop(state));
  } catch {
    return null;
  }
}

function run(program) {
  const outer = [isStandard, hasLongList];
  [isStandard, hasLongList] = [program.isStandard, false];
  const outcome = outcomeOf(program);
  [isStandard, hasLongList] = outer;
  parentPort.postMessage(outcome);
}

// The start of the thread is the first slice.
let message = nextMessage();
pause();
for (;;) {
  run(message);
  message = nextMessage();
}
