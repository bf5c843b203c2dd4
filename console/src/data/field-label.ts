import { wordsOf } from '../ui/letters.ts';
import { fieldText, textOfField } from './field-text.ts';
import { settingWords } from './setting-words.ts';

/** Returns the name of a field or setting in the language of the page; `list`: of the records of a list of the API. */
export const fieldLabel = (name: string, list = ''): string =>
  textOfField(fieldText(), name, list) ?? settingWords().label(name) ?? wordsOf(name);
