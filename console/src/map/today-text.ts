import { catalog } from '../ui/language.ts';

/** The texts of the card of today; its sentences are the server's. */
export const todayText = catalog({ words: { title: ['Today', 'Aujourd’hui'] }, en: {}, fr: {} });
