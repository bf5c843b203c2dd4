/** Returns a text in small letters without accents, as it is searched. */
export const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLocaleLowerCase();

/** Returns a text that begins with a capital. */
export const capital = (text: string): string => text.charAt(0).toLocaleUpperCase() + text.slice(1);

/** `flow_rate` → `Flow rate`. */
export const wordsOf = (name: string): string => capital(name.replaceAll('_', ' '));
