import { catalog } from '../ui/language.ts';
import { partsTextEn } from './parts-text-en.ts';
import { partsTextFr } from './parts-text-fr.ts';

export const partsText = catalog({ en: partsTextEn, fr: partsTextFr });
