/** Returns text in lowercase letters without the accents of Latin, Greek and Cyrillic, as people search. Marks of other scripts make another word. */
export const plainLetters = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase();
