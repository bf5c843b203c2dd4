import type { Language } from '../../../src/core/languages.ts';
import type { Words } from './garden-sentences.ts';
import { valuesInFrench } from './program-sentences.ts';
import { fieldSentences, sentences } from './server-sentences.ts';

/** Names in messages. */
export interface Names {
  /** A field, as in `Water Curve ID`. */
  field(title: string): string;
  /** A node of a program or one of its values, and an argument, as the command language writes them. */
  node?(name: string): string;
  argument?(name: string): string;
}

interface Pattern {
  readonly test: RegExp;
  /** Values of the placeholders. */
  readonly holes: readonly string[];
  readonly words: Readonly<Record<Language, string>>;
}

const hole = /\{([a-z]*)\}/;
/** The name of a field in messages, `Water Curve ID`. */
const fieldTitle = '([A-Za-z][A-Za-z0-9 ]*)';
/** Patterns of placeholders; other values are as short as possible. */
const holePatterns: Readonly<Record<string, string>> = {
  // One of the values may be `not`.
  values: '(.*)',
  // Names before them may contain colons.
  points: '(\\w+ at \\(.*)',
};
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const isOfField = (sentence: string): boolean => sentence.startsWith('{}') && Object.hasOwn(fieldSentences, sentence);

function patternOf(sentence: string, words: Words): Pattern {
  // Literal texts and types of placeholders, alternating.
  const parts = sentence.split(hole);
  const holes = parts.filter((_, index) => index % 2 === 1);
  if (isOfField(sentence)) holes[0] = 'field';
  const source = parts.map((part, index) => {
    if (index % 2 === 0) return escaped(part);
    if (index === 1 && holes[0] === 'field') return fieldTitle;
    return holePatterns[part] ?? '(.*?)';
  });
  return {
    test: new RegExp(`^${source.join('')}$`, 's'),
    holes,
    words: typeof words === 'string' ? { en: sentence, fr: words } : words,
  };
}

const lengthOf = (sentence: string): number =>
  sentence
    .split(hole)
    .filter((_, index) => index % 2 === 0)
    .join('').length;

/** The messages as patterns, those with the most words first: they are the most specific. */
const patterns: readonly Pattern[] = Object.entries(sentences)
  .sort(([a], [b]) => lengthOf(b) - lengthOf(a))
  .map(([sentence, words]) => patternOf(sentence, words));

/** Replaces placeholders by values in order, and `{1}` by its number. */
function filled(words: string, values: readonly string[]): string {
  let next = 0;
  return words.replace(
    /\{(\d+|[a-z]*)\}/g,
    (_, name: string) => values[/^\d/.test(name) ? Number(name) : next++] ?? '',
  );
}

/** What a value of a program is: a kind of values, a text, a number, or a node. */
function valueWords(language: Language, value: string, { node }: Names): string {
  if (language === 'fr') {
    const [, kind, given] = /^the (string|number) (.*)$/s.exec(value) ?? [];
    if (kind === 'string') return `le texte « ${given?.slice(1, -1)} »`;
    if (kind === 'number') return `le nombre ${given}`;
    const known = valuesInFrench[value];
    if (known !== undefined) return known;
  }
  return /^[a-z_]+$/i.test(value) && !Object.hasOwn(valuesInFrench, value) ? (node?.(value) ?? value) : value;
}

const separators: Readonly<Record<string, string>> = { ' or ': ' ou ', ' and ': ' et ' };

/** Joins a list: `a, b or c`. */
const listWords = (language: Language, list: string, names: Names): string =>
  list
    .split(/(, | or (?!false)| and )/)
    .map((part, index) =>
      index % 2 === 0 ? valueWords(language, part, names) : language === 'fr' ? (separators[part] ?? part) : part,
    )
    .join('');

/** Nouns of what uses a record, as the API lists them; plurals before the singulars that they begin with. */
const useWords: Readonly<Record<string, Readonly<Record<Language, string>>>> = {
  'the farm events of': { en: 'the scheduled events of', fr: 'les événements planifiés des' },
  'the farm event of': { en: 'the scheduled event of', fr: 'l’événement planifié du' },
  'the regimens': { en: 'the regimens', fr: 'les régimes' },
  'the regimen': { en: 'the regimen', fr: 'le régime' },
  'the sequences': { en: 'the programs', fr: 'les programmes' },
  'the sequence': { en: 'the program', fr: 'le programme' },
  'the pin bindings of pins': { en: 'the buttons on pins', fr: 'les boutons des broches' },
  'the pin binding of pin': { en: 'the button on pin', fr: 'le bouton de la broche' },
  'the start of the robot': { en: 'the start of the robot', fr: 'le démarrage du robot' },
  ' and ': { en: ' and ', fr: ' et ' },
};
const anyUse = new RegExp(Object.keys(useWords).join('|'), 'g');

/** The end of a list that is cut, `3 more`, in French. */
const moreInFrench = (list: string): string =>
  list.replace(/(\d+) more/, (_, count: string) => (count === '1' ? '1 autre' : `${count} autres`));

/** What uses a record: `the farm event of 11/28 and the sequences 'A', 'B'`. Names stay as they are. */
const usesIn = (language: Language, uses: string): string =>
  uses
    .split(/('.*?')(?=, | and |$)/)
    .map((part, index) => {
      if (index % 2 === 1) return language === 'fr' ? `« ${part.slice(1, -1)} »` : part;
      const words = part.replace(anyUse, (found) => useWords[found]?.[language] ?? found);
      return language === 'fr' ? moreInFrench(words.replace(/(\d+)\/(\d+)/g, '$2/$1')) : words;
    })
    .join('');

const pointNounsInFrench: Readonly<Record<string, string>> = {
  plant: 'plante',
  point: 'point',
  slot: 'emplacement',
  weed: 'mauvaise herbe',
};

/** Points that are in use: `plant at (100, 200, 0); 3 more`. */
const pointsInFrench = (points: string): string =>
  moreInFrench(points)
    .replace(/(\w+) at \(/g, (_, noun: string) => `${pointNounsInFrench[noun] ?? noun} en (`)
    .replaceAll(';', ' ;');

/** The names of plants: `Tomato, Leek and 2 more`. */
const namesInFrench = (names: string): string =>
  names.replace(/ and (\d+ more)$/, (_, more: string) => ` et ${moreInFrench(more)}`);

function shownValue(language: Language, value: string, kind: string | undefined, names: Names): string {
  if (kind === 'field') return names.field(value);
  if (kind === 'arg') return names.argument?.(value) ?? value;
  if (kind === 'kind') return names.node?.(value) ?? value;
  if (kind === 'given') return valueWords(language, value, names);
  if (kind === 'uses') return usesIn(language, value);
  if (kind === 'values') return listWords(language, value, names);
  if (kind === 'points') return language === 'fr' ? pointsInFrench(value) : value;
  if (kind === 'names') return language === 'fr' ? namesInFrench(value) : value;
  return value.endsWith('.') ? serverWords(language, value, names) : value;
}

/** Translates one message; undefined if it is not listed. */
function sentenceIn(language: Language, sentence: string, names: Names): string | undefined {
  for (const { test, holes, words } of patterns) {
    const match = test.exec(sentence);
    if (match === null) continue;
    const [, ...values] = match;
    return filled(
      words[language],
      values.map((value, index) => shownValue(language, value, holes[index], names)),
    );
  }
  return undefined;
}

/** The name of a field in bodies, by that in messages: `water_curve_id`. */
export const fieldName = (title: string): string => title.toLowerCase().replaceAll(' ', '_');

/** Returns the name of the field that a message of the API is about; undefined if it is about none. */
export function fieldOf(sentence: string): string | undefined {
  const pattern = patterns.find(({ test }) => test.test(sentence));
  const [, title] = (pattern?.holes[0] === 'field' && pattern.test.exec(sentence)) || [];
  return title === undefined ? undefined : fieldName(title);
}

/** Splits a text of the API into its sentences. */
export const sentencesIn = (text: string): readonly string[] => text.split(/(?<=\.) (?=[A-Z"'`])/);

/**
 * Translates a text of the API, which may consist of several sentences; a sentence that is not listed
 * stays unchanged.
 */
export const serverWords = (language: Language, text: string, names: Names): string =>
  sentenceIn(language, text, names) ??
  sentencesIn(text)
    .map((sentence) => sentenceIn(language, sentence, names) ?? sentence)
    .join(' ');
