import { choiceLabel } from '../data/choice-label.ts';
import { variableName } from '../data/variable-name.ts';
import { catalog } from '../ui/language.ts';
import { wordsOf } from '../ui/letters.ts';
import { entryOf } from './node.ts';
import { en, type Words } from './words-en.ts';
import { fr } from './words-fr.ts';

const words = catalog<Words>({ en, fr });

const lookup = (table: Readonly<Record<string, string>>, name: string): string =>
  entryOf(table, name) ?? wordsOf(name).trim();

export const kindWords = (kind: string): string => lookup(words().kinds, kind);
/** Returns the description of a kind of steps; undefined if only the server has one. */
export const aboutWords = (kind: string): string | undefined => entryOf(words().abouts, kind);
export const argWords = (arg: string): string => lookup(words().args, arg);

/** Words for a value of a list: `pin13` is pin 13. */
export function valueWords(value: string | number): string {
  const text = String(value);
  const [, pin] = /^pin(\d+)$/.exec(text) ?? [];
  if (pin !== undefined) return words().pin(pin);
  // Groups of axes are written as they are.
  if (/^[xyz,]{2,}$/.test(text)) return text;
  return entryOf(words().values, text) ?? choiceLabel('message_type', text) ?? wordsOf(text).trim();
}

/** The label of the choice between the kinds of values of an argument. */
export const questionWords = (arg: string): string => lookup(words().questions, arg);

/** What a comparison leads to. */
export const branchWords = (...parts: Parameters<Words['branches']>): string => words().branches(...parts);

/** A variable whose value stands here. */
export const variableWords = (label: string): string => words().variable(variableName(label));

/** What something is set to. */
export const pairWords = (name: string, value: string): string => words().pair(name, value);

/** The value that a digital pin is set to. */
export const switchWords = (isOn: boolean): string => words()[isOn ? 'on' : 'off'];

export const alternativeWords = (type: keyof Words['alternatives']): string => words().alternatives[type];

/** Units of numeric arguments. */
const units: Readonly<Record<string, string>> = {
  x: 'mm',
  y: 'mm',
  z: 'mm',
  milliseconds: 'ms',
  speed: '%',
  variance: 'mm',
};

export const unitOf = (arg: string): string | undefined => units[arg];
