import { AsyncLocalStorage } from 'node:async_hooks';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { suiteFakeAccount } from '../../../test/support/fake-account.ts';
import { RobotHarness, step } from '../../../test/support/robot-harness.ts';
import { luaVariable } from './lua-runner.ts';
import { luaLimits } from './lua-thread.ts';

const account = suiteFakeAccount();
/** A script of statements: one line would be a formula. */
const lua = (text: string) => step('lua', { lua: `${text}\n` });

/** Chooses the Lua of a virtual robot, as a program does with an environment variable. */
const chooseLua = ({ account }: RobotHarness, value: 'robot' | 'standard') =>
  account.applyChange('FarmwareEnv', 1, { id: 1, key: luaVariable, value });

let bench: RobotHarness;
beforeAll(() => {
  // A script that calls the robot as often as it may computes briefly each time, and waits long for a busy machine.
  bench = new RobotHarness(account.base, { ...luaLimits, computing: 200_000 });
});
beforeEach(() => {
  bench.reset();
  bench.machine.unlock();
});
afterAll(() => bench.lua.stop());

/** Runs a script that toasts values; returns the values, or the problem that ended it. */
async function run(script: string): Promise<string[] | string> {
  bench.reset();
  const problem = await bench.run(lua(script));
  if (problem) return problem;
  return bench.performed.filter((line) => line.endsWith('|toast')).map((line) => line.split('|')[1] ?? '');
}

it.each([
  ['*', 98],
  ['..', 194],
])('one expression joins as many operands by %s as the documentation says: %i', async (operator, most) => {
  const joined = (count: number) => `local x = 1\nreturn ${Array(count).fill('x').join(operator)}`;
  expect(await run(joined(most))).toEqual([]);
  expect(await run(joined(most + 1))).toContain('overflow');
});

describe('lists in the robot’s Lua', () => {
  it.each([
    ['{ 1, nil, 3 }', '[1,3]'],
    ['{ [20] = "b", [10] = "a" }', '["a","b"]'],
    ['{ "a", [0] = "z", [-1] = "y" }', '["y","z","a"]'],
    ['{ [1.5] = "half", [2] = "two" }', '["two","half"]'],
    ['{ [1] = "a", b = 2 }', '{"1":"a","b":2}'],
    ['{ { nil, 2 }, {} }', '[[2],{}]'],
  ])('%s reaches the robot as %s', async (table, json) => {
    expect(await run(`toast(json.encode(${table}))`)).toEqual([json]);
  });

  it('with more than 32 elements are logged once, since a robot passes them in another order', async () => {
    const warnings = async (count: number) => {
      await run(
        `local t = {} for i = 1, ${count} do t[i] = { id = i, x = i, y = 0 } end sort(t, "nn") json.encode(t) inspect(t)`,
      );
      return bench.performed.filter((line) => line.startsWith('warn|'));
    };
    expect(await warnings(32)).toEqual([]);
    expect(await warnings(33)).toEqual(['warn|A robot passes lists of more than 32 elements in another order.']);
    expect(await warnings(33)).toHaveLength(1);
    chooseLua(bench, 'standard');
    expect(await warnings(33)).toEqual([]);
    chooseLua(bench, 'robot');
  });
});

describe('values in standard Lua', () => {
  beforeAll(() => chooseLua(bench, 'standard'));
  afterAll(() => chooseLua(bench, 'robot'));

  it('pass between Lua and the robot', async () => {
    expect(
      await run(`
        local decoded = json.decode('{"list": [1, 2.5, "drei", true, null], "empty": [], "größe": {"a": "🌱"}}')
        toast(decoded.list[1] + decoded.list[2])
        toast(decoded.list[3] .. #decoded.list .. decoded["größe"].a)
        toast(json.encode({ 1, "zwei", { three = 3, deep = { 4.5 } } }))
        toast(json.encode({ [1] = "a", [3] = "c" }))
        toast(json.encode(get_position()))
        toast(tostring(env("nothing")))
      `),
    ).toEqual([
      '3.5',
      'drei4🌱',
      '[1,"zwei",{"deep":[4.5],"three":3}]',
      '{"1":"a","3":"c"}',
      '{"x":0,"y":0,"z":0}',
      'nil',
    ]);
  });

  it('are text: U+FFFD replaces other bytes', async () => {
    expect(
      await run('toast("a\\xff") toast("\\xf8b\\xc3") toast("\ud800c") toast(json.encode({ ["\\xfe"] = 1 }))'),
    ).toEqual(['a\ufffd', '\ufffdb\ufffd', '\ufffdc', '{"\ufffd":1}']);
    expect(await run('error("\\xff!")')).toBe('Lua, line 1: \ufffd!');
  });

  it.each(['standard', 'robot'] as const)('keep what follows a letter that is cut, and a NUL (%s)', async (which) => {
    const script = `
      local cut = string.sub("Größe", 1, 3)
      toast(cut .. " und mehr")
      toast("a\\0b\\0" .. #"a\\0b\\0")
      local back = json.decode('"a\\\\u0000bc"')
      toast(#back .. back)
      toast(json.encode({ ["k\\0y"] = cut .. "x" }))
      error("a\\0!")`;
    // In messages, control characters are spaces.
    const seen = ['Gr\ufffd und mehr', 'a b 4', '4a bc', '{"k\\u0000y":"Gr\ufffdx"}'];
    chooseLua(bench, which);
    try {
      bench.reset();
      expect(await bench.run(lua(script))).toBe('Lua, line 8: a !');
      expect(bench.performed.filter((line) => line.endsWith('|toast')).map((line) => line.split('|')[1])).toEqual(seen);
    } finally {
      chooseLua(bench, 'standard');
    }
  });

  it('have limits', async () => {
    const caught = (expression: string) => `local _, problem = pcall(function() ${expression} end) toast(problem)`;
    const script = [
      'local t = {} t.self = t json.encode(t)',
      'local t = {} for i = 1, 50001 do t[i] = 1 end json.encode(t)',
      'toast(string.rep("x", 1024 * 1024 + 1))',
      'local half = string.rep("x", 600 * 1024) toast(half, half)',
      'toast({ print })',
      'json.encode({ [true] = 1 })',
      'json.decode("[" .. string.rep("[", 30) .. string.rep("]", 30) .. "]")',
      'json.encode({ [{}] = 1 })',
    ];
    expect(await run(script.map(caught).join('\n'))).toEqual([
      'line:1: A value is nested more than 20 deep.',
      'line:2: A value has more than 50000 parts.',
      'line:3: A value has more than 1048576 bytes of text.',
      'line:4: A value has more than 1048576 bytes of text.',
      'line:5: Only numbers, text, booleans and tables can be passed to the robot.',
      'line:6: A key must be text or a number.',
      'line:7: A value is nested more than 20 deep.',
      'line:8: A key must be text or a number.',
    ]);
  });

  it('are the first result of a script', async () => {
    const toX = (text: string) =>
      step('move', {}, [step('axis_overwrite', { axis: 'x', axis_operand: step('lua', { lua: text }) })]);
    expect(await bench.run(toX('return 2 * 10 + 0.5, 7'))).toBeNull();
    expect(bench.machine.position.x).toBe(20.5);
    for (const text of ['return "far"', 'return 1 / 0', 'local a = 1', 'return print'])
      expect(await bench.run(toX(text))).toBe('Lua returned no number.');
    // Backtracking would take longer than the test may.
    expect(await bench.run(toX(`1${' '.repeat(250_000)}2`))).toContain("')' expected near '2'");
  });
});

describe('a bad script', () => {
  it.each([
    ['does not compile', 'if', 'Lua, line 2: unexpected symbol near <eof>'],
    ['calls an unknown function', '\nuproot()', "Lua, line 2: attempt to call a nil value (global 'uproot')"],
    ['raises an error', 'error("Stop it")', 'Lua, line 1: Stop it'],
    ['raises a table', 'error({})', 'Lua: The script raised an error that is not text.'],
    ['calls a function wrongly', 'find_home("up")', 'Lua, line 1: "find_home" needs "x", "y", "z" or "all" as "axis".'],
    ['recurses endlessly', 'local function f() return 1 + f() end f()', /stack overflow|not enough memory/],
    [
      'recurses in native code',
      'local function f() return ("x"):gsub("x", f) end f()',
      /C stack overflow|not enough memory/,
    ],
    ['fills the memory', 'local t = {} for i = 1, 1e9 do t[i] = ("x"):rep(1000) .. i end', /not enough memory/],
    ['makes a huge text', 'local t = ("x"):rep(1e9)', /not enough memory|too large/],
    [
      'calls the robot endlessly',
      'while true do get_position() end',
      'Lua, line 1: One request runs at most 10000 steps.',
    ],
    ['is compiled', 'load("\\27Lua")()', /attempt to load a binary chunk|attempt to call a nil value/],
  ])('that %s ends with the reason, and the next one runs', async (_name, script, reason) => {
    const problem = await bench.run(lua(script));
    if (typeof reason === 'string') expect(problem).toContain(reason);
    else expect(problem).toMatch(reason);
    expect(bench.problems).toEqual([problem]);
    expect(await run('toast("still here")')).toEqual(['still here']);
  });

  const quick = { ...luaLimits, computing: 300, unpaused: 300 };
  const endless = {
    'loops endlessly': 'while true do end',
    'catches its errors': 'while true do pcall(function() while true do error() end end) end',
    'searches a pattern endlessly': '(("a"):rep(40)):find(("a*"):rep(20) .. "b")',
    'loops in a finalizer': 'setmetatable({}, { __gc = function() while true do end end })',
    'loops in a coroutine': 'coroutine.wrap(function() while true do end end)()',
    'sorts a long list': 'local t = {} for i = 1, 20000 do t[i] = { x = i, y = 0 } end sort(t, "nn")',
    'asks for a length endlessly': 'local t = {} for i = 1, 20000 do t[i] = i end while #t > 0 do end',
    'replaces text endlessly': 'while true do ("a"):rep(1000):gsub("a", "%0") end',
    'loads scripts endlessly': 'local text = ("x = 1 / 2 .. 3 "):rep(1000) while true do load(text) end',
    'compares endlessly': 'table.sort({ 1, 2 }, function() while true do end end)',
  };
  const cases = Object.entries(endless).flatMap(([name, script]) => [
    ...(name === 'loops in a coroutine' ? [] : [['robot', name, script] as const]),
    ['standard', name, script] as const,
  ]);
  it.each(cases)('in %s Lua that %s is ended', async (lua5, _name, script) => {
    const hasty = new RobotHarness(account.base, quick);
    chooseLua(hasty, lua5);
    expect(await hasty.run(lua(script))).toBe('A Lua script may compute for at most 0.3 s.');
  });

  it('ends when a function of its library computes for too long, and may compute longer with pauses', async () => {
    const slow = new RobotHarness(account.base, { ...luaLimits, unpaused: 300 });
    expect(await slow.run(lua('(("a"):rep(40)):find(("a*"):rep(20) .. "b")'))).toBe(
      "A function of Lua's library, or a finalizer, may compute for at most 0.3 s.",
    );
    expect(await slow.run(lua('local start = os.clock() while os.clock() - start < 0.6 do end'))).toBeNull();
    slow.lua.stop();
  });

  it('computes in slices, when its scheduler lets it', async () => {
    let isComputing = false;
    let stretches = 0;
    const slices = new RobotHarness(account.base, { ...luaLimits, slice: 10 }, async (begin) => {
      stretches++;
      isComputing = true;
      await begin();
      isComputing = false;
    });
    const began = performance.now();
    slices.send(lua('local start = os.clock() while os.clock() - start < 0.3 do end wait(60000) on(8)'));
    await slices.waitForResponses();
    expect(slices.responses).toEqual([['label 1', null]]);
    expect(isComputing).toBe(false);
    // 300 ms of computing in slices of 10 ms of the clock, the start of the thread, and the work after two calls.
    expect(stretches).toBeGreaterThan(5);
    expect(stretches).toBeLessThanOrEqual((performance.now() - began) / 10 + 10);
    slices.lua.stop();
  });

  it('is ended by the emergency stop while it waits for the scheduler, and its limit counts no waiting', async () => {
    const waits: AbortSignal[] = [];
    const queued = new RobotHarness(account.base, { ...luaLimits, computing: 300, unpaused: 300 }, (begin, signal) => {
      waits.push(signal);
      return waits.length > 1
        ? begin()
        : new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason));
          });
    });
    queued.send(lua('while true do end'));
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(queued.responses).toEqual([]);
    queued.send(step('emergency_lock'));
    await queued.waitForResponses();
    expect(queued.responses).toEqual([
      ['label 2', null],
      ['label 1', 'The emergency stop was pressed.'],
    ]);
    expect(waits.map(({ aborted }) => aborted)).toEqual([true]);
    expect(await queued.run(step('emergency_unlock'))).toBeNull();
    queued.lua.stop();
  });

  it('logs once that it waits, and the reason', async () => {
    const waiting = new RobotHarness(account.base, luaLimits, async (begin, _signal, onWait) => {
      onWait('this garden computed enough');
      await begin();
    });
    expect(await waiting.run(lua('wait(1) wait(1)'))).toBeNull();
    expect(waiting.performed.filter((line) => line.startsWith('warn'))).toEqual([
      'warn|The script waits: this garden computed enough.',
    ]);
    waiting.lua.stop();
  });

  it('cannot reach the machine', async () => {
    const names = [
      'io',
      'require',
      'package',
      'debug.getinfo',
      'dofile',
      'loadfile',
      'os.execute',
      'os.exit',
      'os.getenv',
    ];
    const more = ['os.remove', 'os.rename', 'os.tmpname', 'string.dump', 'warn'];
    const script = [...names, ...more].map((name) => {
      const [first = '', second] = name.split('.');
      return `toast(tostring(type(${first}) == "table" and ${second ? `${first}.${second}` : first} or ${second ? 'nil' : first}))`;
    });
    expect(new Set(await run(script.join('\n')))).toEqual(new Set(['nil']));
    expect(await run('load("toast(1 + 1)")() toast(type(x) .. tostring((collectgarbage("count"))))')).toEqual([
      '2',
      'nilnil',
    ]);
  });
});

describe('the thread', () => {
  it('is started by the first script that needs one, and ended when it is idle', async () => {
    const started: Worker[] = [];
    // Robots of other tests in this process start threads, too.
    const own = new AsyncLocalStorage<true>();
    const record = (worker: Worker) => own.getStore() && started.push(worker);
    process.on('worker', record);
    const idle = new RobotHarness(account.base, { ...luaLimits, idle: 1500 });
    const constant = step('lua', { lua: 'return 25' });
    const move = step('move', {}, [step('axis_overwrite', { axis: 'x', axis_operand: constant })]);
    expect(await own.run(true, () => idle.run(move, step('wait', { milliseconds: 1 })))).toBeNull();
    expect(started).toEqual([]);
    expect(await own.run(true, () => idle.run(lua('wait(1)'), lua('wait(1)')))).toBeNull();
    process.off('worker', record);
    own.disable();
    expect(started).toHaveLength(1);
    await vi.waitUntil(() => started[0]?.threadId === -1, { timeout: 20_000 });
  });
});

describe('a running script', () => {
  it('rests before it is ended, and the next script waits for that', async () => {
    const stopped = new RobotHarness(account.base);
    const posted = vi.spyOn(Worker.prototype, 'postMessage');
    const terminate = vi.spyOn(Worker.prototype, 'terminate');
    stopped.send(lua('move{ x = 100 } while true do end'));
    while (stopped.machine.position.x < 100) await new Promise(setImmediate);
    const [thread] = posted.mock.contexts;
    stopped.machine.lock();
    await stopped.waitForResponses();
    // Threads of other tests may end, too.
    expect(terminate.mock.contexts.includes(thread)).toBe(false);
    stopped.machine.unlock();
    expect(await stopped.run(lua('toast("again")'))).toBeNull();
    expect(terminate.mock.contexts.includes(thread)).toBe(true);
    posted.mockRestore();
    terminate.mockRestore();
    stopped.lua.stop();
  });

  it('is ended by the emergency stop, also if it catches errors', async () => {
    bench.send(lua('while true do pcall(move, { x = get_position("x") + 100 }) end'));
    while (bench.machine.position.x < 300) await new Promise(setImmediate);
    bench.send(step('emergency_lock'));
    await bench.waitForResponses();
    expect(bench.responses).toEqual([
      ['label 2', null],
      ['label 1', 'The emergency stop was pressed.'],
    ]);
    expect(bench.machine.isBusy).toBe(false);
    expect(await bench.run(lua('emergency_unlock() move{ x = 0 }'))).toBeNull();
    expect(bench.machine.position.x).toBe(0);
    expect(await bench.run(lua('pcall(emergency_lock) toast("after")'))).toBe('The emergency stop was pressed.');
    expect(bench.performed.join()).not.toContain('after');
  });

  it('can run steps, which can run scripts', async () => {
    const nested = (depth: number): string =>
      depth === 0 ? 'toast("deepest")' : `rpc({ kind = "lua", args = { lua = ${JSON.stringify(nested(depth - 1))} } })`;
    expect(await run(nested(4))).toEqual(['deepest']);
    expect(await run(nested(5))).toEqual([]);
    expect(bench.performed).toContain('error|Lua scripts run each other more than 5 deep.');
    expect(await run('cs_eval{ kind = "rpc_request", args = { label = "x" }, body = {} } toast("empty")')).toContain(
      'empty',
    );
    expect(await run('local ok, problem = rpc({ kind = "dance", args = {} }) toast(tostring(ok) .. problem)')).toEqual([
      'falseThere is no step "dance".',
    ]);
    expect(await run('cs_eval({ kind = "wait", args = { milliseconds = 1 } })')).toContain('Function clause error.');
  });

  it('watches pins', async () => {
    expect(
      await run(`
        local seen = 0
        watch_pin(9, function(data) seen = seen + 1 toast(data.pin .. " is " .. data.value) end)
        on(9) on(9) on(8) off(9)
        toast(seen)
      `),
    ).toEqual(['9 is 1', '9 is 0', '2']);
    expect(await run('watch_pin(9)')).toBe('Lua, line 1: "watch_pin" needs a function.');
  });
});
