/** Returns a French text with the no-break spaces of its punctuation, which keep it on the line of the word before. */
export const frenchSpaces = (text: string): string =>
  text.replace(/ (?=[;?!])/g, '\u202f').replace(/ (?=[:»])|(?<=«) /g, '\u00a0');
