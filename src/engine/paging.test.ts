import { expect, it } from 'vitest';
import { pageHeaders } from './paging.ts';

const call = { host: 'garden.example:3000', isSecure: true };
const linksOf = (page: number, per: number, total: number, filters = {}): readonly string[] => {
  const { link = '' } = pageHeaders(call, '/api/points', filters, { page, per }, total);
  return link.split(', ').map((each) => each.replace('https://garden.example:3000/api/points?', ''));
};

it('links a page with its neighbors and the ends of the list', () => {
  expect(pageHeaders(call, '/api/points', {}, { page: 2, per: 10 }, 31)).toEqual({
    'x-total-count': '31',
    link: [
      '<https://garden.example:3000/api/points?page=1&per=10>; rel="first"',
      '<https://garden.example:3000/api/points?page=1&per=10>; rel="prev"',
      '<https://garden.example:3000/api/points?page=3&per=10>; rel="next"',
      '<https://garden.example:3000/api/points?page=4&per=10>; rel="last"',
    ].join(', '),
  });
});

it('links no page before the first one or after the last one', () => {
  expect(linksOf(1, 10, 30)).toEqual([
    '<page=1&per=10>; rel="first"',
    '<page=2&per=10>; rel="next"',
    '<page=3&per=10>; rel="last"',
  ]);
  expect(linksOf(3, 10, 30)).toEqual([
    '<page=1&per=10>; rel="first"',
    '<page=2&per=10>; rel="prev"',
    '<page=3&per=10>; rel="last"',
  ]);
  expect(linksOf(1, 10, 0)).toEqual(['<page=1&per=10>; rel="first"', '<page=1&per=10>; rel="last"']);
  expect(linksOf(1, 0, 5)).toEqual(['<page=1&per=0>; rel="first"', '<page=1&per=0>; rel="last"']);
});

it('links a page past the end with the last one', () => {
  expect(linksOf(9, 10, 30)).toEqual([
    '<page=1&per=10>; rel="first"',
    '<page=3&per=10>; rel="prev"',
    '<page=3&per=10>; rel="last"',
  ]);
});

it('keeps the filters of the list', () => {
  expect(linksOf(1, 10, 5, { filter: 'old' })[0]).toBe('<filter=old&page=1&per=10>; rel="first"');
});
