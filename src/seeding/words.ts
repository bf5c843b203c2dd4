import type { Language } from '../core/languages.ts';
import { french } from './words-fr.ts';

/** The words of seeded gardens by the English ones: names, comments, variables, and sentences of programs. */
const catalogs: Readonly<Record<Language, Readonly<Record<string, string>>>> = { en: {}, fr: french };

const literal = /"([^"\n]*)"/g;

/** Returns a text as Lua. Robots would take each byte of characters beyond ASCII for a character. [ADR 108] */
const luaText = (text: string): string =>
  text
    .split(/([^\0-\x7f])/u)
    .map((part, index) => (index % 2 === 0 ? `"${part}"` : `utf8.char(${part.codePointAt(0)})`))
    .filter((part, _index, parts) => part !== '""' || parts.length === 1)
    .join(' .. ');

/** Returns JSON with its words in a language; in Lua the words between quotation marks. A text without words there stays as it is. */
export function inLanguage<T>(value: T, language: Language): T {
  const words = catalogs[language];
  const wordOf = (text: string): string => words[text] ?? text;
  const translated = (each: unknown, key: string): unknown => {
    if (typeof each === 'string')
      return key === 'lua' ? each.replace(literal, (_, text: string) => luaText(wordOf(text))) : wordOf(each);
    if (Array.isArray(each)) return each.map((item) => translated(item, key));
    if (typeof each !== 'object' || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([name, item]) => [name, translated(item, name)]));
  };
  return translated(value, '') as T;
}
