/** Returns a text in small letters without accents, as it is searched. */
export const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLocaleLowerCase();
