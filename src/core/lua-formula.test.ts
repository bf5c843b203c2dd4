import { expect, it } from 'vitest';
import { runnableLua } from './lua-formula.ts';

it.each(['5 + 3', 'get_position().x + 5', 'toast("a")', ' 60 ', ''])('returns the value of %j', (formula) => {
  expect(runnableLua(formula)).toBe(`return (${formula})`);
});

it.each(['return 60', 'x = 1', '1 == 1', 'toast("a")\n', 'wait(1)\nwait(2)', 'toast("returned")'])(
  'leaves %j as it is',
  (script) => {
    expect(runnableLua(script)).toBe(script);
  },
);
