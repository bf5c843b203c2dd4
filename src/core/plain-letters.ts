/** Returns text in lowercase letters without accents, as people search. */
export const plainLetters = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
