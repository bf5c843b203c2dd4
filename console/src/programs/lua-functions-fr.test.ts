import { expect, it } from 'vitest';
import { luaDeclarations } from '../../../src/core/lua-functions.ts';
import { luaWordsInFrench } from './lua-functions-fr.ts';

/** What a text says in code: names, values, and numbers. */
const codeIn = (text: string): readonly string[] =>
  [...text.matchAll(/`([^`]+)`|"([^"]+)"|«\s([^»]+)\s»|\b\d+\b/g)]
    .map(([whole, ...parts]) => parts.find((part) => part !== undefined) ?? whole)
    .sort();

it('names the same code in French', () => {
  const french: Readonly<Record<string, string>> = luaWordsInFrench.effects;
  for (const [name, { does }] of luaDeclarations) expect(codeIn(french[name] ?? ''), name).toEqual(codeIn(does));
});
