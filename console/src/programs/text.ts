import { catalog } from '../ui/language.ts';
import { en, type ProgramsText } from './text-en.ts';
import { fr } from './text-fr.ts';

export const programsText = catalog<ProgramsText>({ en, fr });
