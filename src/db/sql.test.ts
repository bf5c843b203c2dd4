import { expect, it } from 'vitest';
import { joinSql, nameSql, quoteLiteral, rawSql, sql } from './sql.ts';

const numbered = (position: number): string => `$${position}`;

it('binds values and embeds fragments, which keep the order of all values', () => {
  const inner = sql`b = ${2} or c in (${3}, ${4})`;
  const outer = sql`select * from ${nameSql('t"s')} where a = ${1} and (${inner})${rawSql(' limit ')}${5}`;
  expect(outer.text(numbered)).toBe('select * from "t""s" where a = $1 and (b = $2 or c in ($3, $4)) limit $5');
  expect(outer.text(() => '?')).toBe('select * from "t""s" where a = ? and (b = ? or c in (?, ?)) limit ?');
  expect(outer.values).toEqual([1, 2, 3, 4, 5]);
});

it('binds text, arrays, null and undefined as values', () => {
  const fragment = sql`${"x'; drop table t"}${[1, 2]}${null}${undefined}`;
  expect(fragment.text(numbered)).toBe('$1$2$3$4');
  expect(fragment.values).toEqual(["x'; drop table t", [1, 2], null, undefined]);
});

it('joins fragments', () => {
  expect(joinSql([]).text(numbered)).toBe('');
  expect(joinSql([sql`a`]).text(numbered)).toBe('a');
  const joined = joinSql([sql`a = ${1}`, sql`b`, sql`c = ${2}`], ' or ');
  expect([joined.text(numbered), joined.values]).toEqual(['a = $1 or b or c = $2', [1, 2]]);
});

it('quotes literals', () => expect(quoteLiteral("it's")).toBe("'it''s'"));
