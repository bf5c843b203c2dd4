import type { Language } from '../ui/languages.ts';
import { fieldSentences, sentences } from './server-sentences.ts';

interface Pattern {
  readonly test: RegExp;
  readonly isOfField: boolean;
  readonly words: Readonly<Record<Language, string>>;
}

const hole = '{}';
/** The name of a field as the API writes it. */
const fieldName = '([A-Z][A-Za-z0-9 ]*)';
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const isOfField = (sentence: string): boolean => sentence.startsWith(hole) && Object.hasOwn(fieldSentences, sentence);

function testOf(sentence: string): RegExp {
  const [start = '', ...others] = sentence.split(hole).map(escaped);
  const values = others.map((text, index) => (index === 0 && isOfField(sentence) ? fieldName : '(.*?)') + text);
  return new RegExp(`^${start}${values.join('')}$`, 's');
}

/** The sentences as patterns, those with the most words first: they are the most particular. */
const patterns: readonly Pattern[] = Object.entries(sentences)
  .sort(([a], [b]) => b.replaceAll(hole, '').length - a.replaceAll(hole, '').length)
  .map(([sentence, words]) => ({
    test: testOf(sentence),
    isOfField: isOfField(sentence),
    words: typeof words === 'string' ? { en: sentence, fr: words } : words,
  }));

/** Puts values in place of `{}` in their order, and of `{1}` by their number. */
function filled(words: string, values: readonly string[]): string {
  let next = 0;
  return words.replace(/\{(\d*)\}/g, (_, number: string) => values[number === '' ? next++ : Number(number)] ?? '');
}

/** Returns one sentence in the words of the console; undefined if it is not listed. */
function sentenceIn(language: Language, sentence: string, labelOf: (name: string) => string): string | undefined {
  for (const { test, isOfField, words } of patterns) {
    const match = test.exec(sentence);
    if (match === null) continue;
    const [, ...values] = match;
    const shown = values.map((value, index) => {
      if (index === 0 && isOfField) return labelOf(value);
      return value.endsWith('.') ? serverWords(language, value, labelOf) : value;
    });
    return filled(words[language], shown);
  }
  return undefined;
}

/**
 * Returns what the API says in the words of the console. Several sentences may stand behind each other; what is not listed
 * stays as it is. `labelOf` turns the name of a field, as in `Water Curve ID`, into its label.
 */
export const serverWords = (language: Language, text: string, labelOf: (name: string) => string): string =>
  sentenceIn(language, text, labelOf) ??
  text
    .split(/(?<=\.) (?=[A-Z"'`])/)
    .map((sentence) => sentenceIn(language, sentence, labelOf) ?? sentence)
    .join(' ');
