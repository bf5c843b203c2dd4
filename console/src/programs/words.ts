import { argInWords, kindInWords, valueInWords } from '../../../src/programs/node-words.ts';
import { choiceLabel } from '../data/choice-label.ts';
import { variableName } from '../data/variable-name.ts';
import { getLanguage, localTexts } from '../ui/language.ts';
import { wordsOf } from '../ui/letters.ts';
import { entryOf } from './node.ts';
import { en, type Words } from './words-en.ts';
import { fr } from './words-fr.ts';

const words = localTexts<Words>({ en, fr });

export const kindWords = (kind: string): string => kindInWords(getLanguage(), kind);
/** Returns the description of a kind of steps; undefined if only the server has one. */
export const aboutWords = (kind: string): string | undefined => entryOf(words().abouts, kind);
export const argWords = (arg: string): string => argInWords(getLanguage(), arg);

/** Words for a value of a list: `pin13` is pin 13. */
export const valueWords = (value: string | number): string =>
  valueInWords(getLanguage(), String(value)) ?? choiceLabel('message_type', value) ?? wordsOf(String(value)).trim();

/** The label of the choice between the kinds of values of an argument. */
export const questionWords = (arg: string): string => entryOf(words().questions, arg) ?? wordsOf(arg).trim();

/** The consequence of a comparison. */
export const branchWords = (...parts: Parameters<Words['branches']>): string => words().branches(...parts);

/** A variable that gives the value. */
export const variableWords = (label: string): string => words().variable(variableName(label));

/** The value that something is set to. */
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
