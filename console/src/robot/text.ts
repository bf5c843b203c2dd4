import { catalog } from '../ui/language.ts';
import { en } from './text-en.ts';
import { fr } from './text-fr.ts';

export const robotText = catalog({ en, fr });
