import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { luaDialect, luaDialectWarnings } from '../../../src/programs/lua-dialect.ts';
import { LuaScript } from '../../../src/programs/lua-script.ts';
import { inLanguage } from '../../../src/seeding/words.ts';
import { RobotHarness, step } from '../../support/robot-harness.ts';

/** A script, and its result in each version of Luerl, as {@link shown} writes it; null where it ended the script. */
interface Recorded {
  readonly lua: string;
  readonly '1.0': string | null;
  readonly '1.2.0': string | null;
  readonly '1.5.0': string | null;
}

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const { shown, scripts }: { shown: string; scripts: Recorded[] } = JSON.parse(read('test/fixtures/luerl/results.json'));

const robot = new RobotHarness();
afterAll(() => robot.lua.stop());

/** Returns the result of a script on the virtual robot in the recorded form; null if it ends. */
async function resultOf(lua: string): Promise<string | null> {
  robot.reset();
  const problem = await robot.run(step('lua', { lua: shown.replace('SCRIPT', () => `${lua}\n`) }));
  const [toast] = robot.performed.filter((line) => line.endsWith('|toast'));
  return problem ? null : (toast?.split('|').slice(1, -1).join('|') ?? '');
}

describe('the Lua of the virtual robot', () => {
  it('has the results of Luerl 1.2, or the check of programs warns', async () => {
    const others = [];
    for (const { lua, '1.2.0': expected } of scripts) {
      const result = await resultOf(lua);
      if (result !== expected)
        others.push({ lua, expected, result, warns: luaDialectWarnings(new LuaScript(lua)).length > 0 });
    }
    expect(others.filter(({ warns }) => !warns)).toEqual([]);
    expect(scripts.length).toBeGreaterThan(450);
    expect(others.length).toBeLessThan(50);
  }, 120_000);

  it('reads French words of seeded programs as they are stored', async () => {
    const { lua } = inLanguage({ lua: 'return "Seed Tray"' }, 'fr');
    expect(await resultOf(lua)).toBe("'Plateau \\195;\\160; graines'");
    expect(await resultOf('return "Plateau à graines"')).toBe("'Plateau \\195;\\131;\\194;\\160; graines'");
  });

  it('is Lua 5.4 for a program that asks for it', async () => {
    const choose = (value: string) =>
      robot.account.applyChange('FarmwareEnv', 1, { id: 1, key: 'VIRTUAL_ROBOT_LUA', value });
    choose('standard');
    expect(await resultOf('return 1 / 0, tonumber("17"), xpcall ~= nil')).toBe('float inf, integer 17, true');
    choose('robot');
    expect(await resultOf('return xpcall ~= nil, tonumber("17")')).toBe('false, float 17.0');
  });

  it('has places and lengths that are floats, as the motor controller of a robot reports them', async () => {
    expect(await resultOf('return get_position().x, get_xyz().y, "z is " .. get_position("z")')).toBe(
      "float 0.0, float 0.0, 'z is 0.0'",
    );
    expect(await resultOf('return math.type(garden_size().x), read_pin(13)')).toBe("'float', integer 0");
  });

  it('names the line and the variable of an error', async () => {
    const problemOf = (lua: string) => robot.run(step('lua', { lua }));
    expect(await problemOf('local x = 1\nreturn x / 0')).toBe('Lua, line 2: division by zero, or too great a number');
    expect(await problemOf('\nreturn "x is " .. depth')).toBe(
      'Lua, line 2: attempt to concatenate a nil value (depth)',
    );
    expect(await problemOf('local t = {}\nreturn t.size * 2')).toContain(
      'line 2: attempt to perform arithmetic on a nil',
    );
    expect(await problemOf('\nreturn 1 << depth')).toBe(
      'Lua, line 2: attempt to perform arithmetic on a nil value (depth)',
    );
    expect(await problemOf('return 1.5 >> 1')).toBe(
      'Lua, line 1: attempt to perform arithmetic on a number that is not whole',
    );
    expect(await problemOf('return ~"a"')).toBe('Lua, line 1: attempt to perform arithmetic on text that is no number');
    for (const use of [
      'x .. ""',
      'tostring(x)',
      'string.format("%.1f", x)',
      'x * 1',
      'x / 1',
      '-x .. ""',
      'x - x .. ""',
    ])
      expect(await problemOf(`local x = 1e308 + 1e308\nlocal y = ${use}`)).toMatch(
        /^Lua, line 2: (division by zero, or too great a number|0 \/ 0 is no number|bad argument)/,
      );
    for (const literal of ['1e400', '0x1p2000'])
      expect(await problemOf(`\nreturn ${literal}`)).toBe('Lua, line 2: the robot has no number as great as this');
    expect(await resultOf('return json.decode("[1e400]")')).toBe("nil, 'Error parsing JSON.'");
    expect(await problemOf('return #plants')).toBe('Lua, line 1: attempt to get length of a nil value (plants)');
    expect(await problemOf('\n\nerror("dry")')).toBe('Lua, line 3: dry');
    expect(await problemOf('assert(false, "dry")')).toBe('Lua, line 1: dry');
    expect(await problemOf('local a = 1\ngoto a')).toContain('line 2');
    expect(await problemOf('local limit <const> = 5')).toBe('Lua, line 1: the robot has no <const> and <close>');
  });
});

describe('the table of the dialect', () => {
  it.each(luaDialect.filter(({ find }) => find))('warns of: $script', ({ script, warning }) => {
    const messages = luaDialectWarnings(new LuaScript(script)).map(({ message }) => message);
    expect(messages.some((message) => message.in('en').includes(warning?.[0] ?? 'none'))).toBe(true);
    expect(messages.some((message) => message.in('fr').startsWith('Ligne 1'))).toBe(true);
  });

  it.each(luaDialect.filter(({ find }) => !find))('has a recorded result of: $script', ({ script }) => {
    expect(scripts.map(({ lua }) => lua)).toContain(script);
  });

  it.each([
    'local total = pcall(toast, "x") if pcall(toast) then toast(total) end',
    'local s = ("a,b"):gsub("(%w),(%w)", "%2 %1") -- °, goto, coroutine',
    '--[[ goto ]] toast("goto, coroutine and xpcall") local t = { coroutine = 1, const = 2 }',
    'local text = string.format("%.1f %5.2f %d %%.0f", 1, 2, 3) os.date("%H") for i = 1, 10, 2 do toast(i) end',
    'local function half(n) return n / 2 end local x = 2 * half(3) * ((1)) x = x * 2 x = x * 0.5 + 1 x = x + 1 local y = x * 3 load("return 1")',
    'return ("50%%1"):match("%%1"), ("%%f"):gsub("%%f", "x"), toast("Humidity 50%.Great")',
    'local package, io = {}, 1 package.weight = io function require(x) return x end require(5)',
    'for _, package in ipairs(list) do toast(package.name) end each(function(a, io) toast(io) end)',
    'local list = {} function list:pack() return self end list:pack() local t = { unpack = f } t:unpack()',
    'if (pcall(f)) then toast(pcall(f) and "done" or "failed") end return pcall(f), 1',
    'local load = 5 toast("x", load) t.load("x")',
    'local t = setmetatable({}, { __lt = less, __le = most }) return t <= t',
    'return setmetatable({}, { __lt = less }) < other',
  ])('does not warn of: %s', (script) => {
    expect(luaDialectWarnings(new LuaScript(script))).toEqual([]);
  });

  it.each([
    'return ("%%.0f %.0f"):format(1)',
    'return string.format("%05.0f", 1)',
    'return ("x"):match("%%%1"), ("x"):match("(x)%1")',
    'return ("x"):pack("i") local t = { coroutine = 1 }',
    'toast(pcall(f))',
    'local a, b = 1, pcall(f)',
    'return load"x"',
    'local t = { io = 1 } io.write("x")',
  ])('warns also of: %s', (script) => {
    expect(luaDialectWarnings(new LuaScript(script))).toHaveLength(1);
  });

  it('reads a format with many zeros', () => {
    expect(luaDialectWarnings(new LuaScript(`return string.format("%${'0'.repeat(200_000)}")`))).toEqual([]);
  });

  it('is in the documentation', () => {
    const cell = (text: string) => text.replaceAll('|', '\\|');
    const rows = luaDialect.map(({ script, robot: does, luerl, virtual, find }) => {
      const code = `\`${cell(script.replaceAll('\n', ' ⏎ '))}\``;
      const here = virtual === undefined ? 'the same' : cell(virtual);
      return `| ${code} | ${cell(does)} | ${luerl} | ${here} | ${find ? 'yes' : 'no'} |`;
    });
    expect(read('docs/robot.md')).toContain(`\n${rows.join('\n')}\n`);
  });
});
