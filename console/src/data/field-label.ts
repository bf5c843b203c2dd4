import { fieldText } from './field-text.ts';
import { wordsOf } from './schema-fields.tsx';
import { settingWords } from './setting-words.ts';

/** Returns what a field of a record or a setting is called, in the language of the page. */
export const fieldLabel = (name: string): string => fieldText()[name] ?? settingWords().label(name) ?? wordsOf(name);
