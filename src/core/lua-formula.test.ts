import { expect, it } from 'vitest';
import { misreadFormula, runnableLua } from './lua-formula.ts';

it.each(['5 + 3', 'get_position().x + 5', 'toast("a")', ' 60 ', ''])('returns the value of %j', (formula) => {
  expect(runnableLua(formula)).toBe(`return (${formula})`);
});

it.each(['return 60', 'x = 1', '1 == 1', 'toast("a")\n', 'wait(1)\nwait(2)', 'toast("returned")'])(
  'leaves %j as it is',
  (script) => {
    expect(runnableLua(script)).toBe(script);
  },
);

it('knows lines that may be formulas, but that a robot takes for statements', () => {
  expect(misreadFormula('-get_tool{ id = 1 }.x')).toBe('return (-get_tool{ id = 1 }.x)');
  for (const code of ['5 + 3', 'return { a = 1 }', 'a = 1\n']) expect(misreadFormula(code)).toBeNull();
});
