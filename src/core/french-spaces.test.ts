import { expect, it } from 'vitest';
import { frenchSpaces } from './french-spaces.ts';

it('keeps French punctuation on the line of its word', () => {
  expect(frenchSpaces('« Serre » : supprimer ? Oui ; non !')).toBe(
    '«\u00a0Serre\u00a0»\u00a0: supprimer\u202f? Oui\u202f; non\u202f!',
  );
  expect(frenchSpaces('À 7:30, http://serre.example')).toBe('À 7:30, http://serre.example');
});
