import { fieldText } from './field-text.ts';
import { wordsOf } from './schema-fields.tsx';
import { settingWords } from './setting-words.ts';

/** Returns the name of a field or setting in the language of the page. */
export const fieldLabel = (name: string): string => fieldText()[name] ?? settingWords().label(name) ?? wordsOf(name);
