import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { suiteFakeAccount } from '../../test/support/fake-account.ts';
import { RobotHarness, step } from '../../test/support/robot-harness.ts';

const account = suiteFakeAccount();
const benches: RobotHarness[] = [];
let bench: RobotHarness;
beforeEach(() => {
  bench = benches[0] ?? new RobotHarness(account.base);
  benches[0] = bench;
  bench.reset();
  const say = step('send_message', { message: 'recovering', message_type: 'info' });
  account.records.set('/api/sequences/1', { name: 'Recover', args: {}, body: [say] });
});
afterAll(() => bench.lua.stop());

const assert = (lua: string, assertion_type: string, _then: object = step('execute', { sequence_id: 1 })) =>
  step('assertion', { lua, assertion_type, _then });
const after = step('send_message', { message: 'after', message_type: 'info' });
const said = (word: string) => bench.performed.includes(`info|${word}`);

describe('an assertion', () => {
  it.each([
    ['continue', false, true, 'continues'],
    ['recover', true, true, 'recovers and continues'],
    ['abort', false, false, 'ends'],
    ['abort_recover', true, false, 'recovers and ends'],
  ])('of type %s that fails recovers: %s, continues: %s', async (type, recovers, continues, text) => {
    expect(await bench.run(assert('return get_position("x") == 5', type), after)).toBe(
      continues ? null : 'An assertion failed.',
    );
    expect([said('recovering'), said('after')]).toEqual([recovers, continues]);
    expect(bench.performed[0]).toBe(`assertion|The assertion failed: the program ${text}.`);
    expect(bench.assertions).toEqual([{ passed: false, type }]);
  });

  it('that passes continues, whatever its type', async () => {
    for (const type of ['continue', 'recover', 'abort', 'abort_recover']) {
      bench.reset();
      expect(await bench.run(assert('return true', type), after)).toBeNull();
      expect([said('recovering'), said('after')]).toEqual([false, true]);
      expect(bench.performed[0]).toBe('assertion|The assertion passed: the program continues.');
      expect(bench.assertions).toEqual([{ passed: true, type }]);
    }
  });

  it('that cannot be evaluated ends the program, whatever its type', async () => {
    expect(await bench.run(assert('error("broken")', 'continue'), after)).toBe('Lua, line 1: broken');
    expect(said('after')).toBe(false);
    expect(bench.performed[0]).toBe('assertion|The assertion could not be evaluated: the program ends.');
    expect(bench.assertions).toEqual([{ passed: false, type: 'continue' }]);
  });

  it('passes only if Lua returns true', async () => {
    for (const lua of ['local a = 1', 'return 1', 'return "true"', 'return {}', 'return nil'])
      expect(await bench.run(assert(lua, 'abort'))).toBe('An assertion failed.');
    expect(await bench.run(assert('return true', 'panic'))).toBe('There is no assertion of type "panic".');
    expect(await bench.run(assert('return false', 'recover', step('wait', { milliseconds: 1 })))).toBe(
      '"wait" is not allowed as a branch of "assertion".',
    );
    expect(await bench.run(assert('return false', 'recover', step('nothing')), after)).toBeNull();
  });
});
