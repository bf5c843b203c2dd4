import { expect, it } from 'vitest';
import { parseQuery } from './query.ts';

it('keeps the last of repeated parameters and names as they are', () => {
  expect({ ...parseQuery('a=1&a=2&meta[x]=y&empty=&bare&p=a+b%20c') }).toEqual({
    a: '2',
    'meta[x]': 'y',
    empty: '',
    bare: '',
    p: 'a b c',
  });
  expect({ ...parseQuery('') }).toEqual({});
  expect(parseQuery('a=%zz').a).toBe('%zz');
});

it('has no prototype that a name could reach', () => {
  expect(parseQuery('').toString).toBeUndefined();
  expect(Object.entries(parseQuery('__proto__=1'))).toEqual([['__proto__', '1']]);
  expect(parseQuery('x=1').constructor).toBeUndefined();
});
