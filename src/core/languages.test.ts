import { expect, it } from 'vitest';
import { acceptedLanguage, namedLanguage, preferredLanguage } from './languages.ts';

it.each([
  ['French', 'fr'],
  ['français', 'fr'],
  [' FRANCAIS (Canada)', 'fr'],
  ['fr', 'fr'],
  ['fr-CH', 'fr'],
  ['fr_FR', 'fr'],
  ['English', 'en'],
  ['en-GB', 'en'],
  ['en français', 'fr'],
  ['Suomi', null],
  ['Frisian', null],
  ['', null],
])('the name %j is that of %s', (name, language) => expect(namedLanguage(name)).toBe(language));

it.each([
  ['fr-FR,fr;q=0.9,en-US;q=0.8,en;q=0.7', 'fr'],
  ['en-US, fr;q=0.5', 'en'],
  ['de, en;q=0.3, fr;q=0.6', 'fr'],
  ['fr;q=0, en;q=0.1', 'en'],
  ['FR', 'fr'],
  ['de, *;q=0.5', null],
  ['fr;q=first', null],
  ['', null],
  [undefined, null],
])('the header %j asks for %s', (header, language) => expect(acceptedLanguage(header)).toBe(language));

it('mails are in the language of the account, else of the page, else in English', () => {
  expect(preferredLanguage('French', 'en')).toBe('fr');
  expect(preferredLanguage('English', 'fr')).toBe('en');
  expect(preferredLanguage('Suomi', 'fr')).toBe('fr');
  expect(preferredLanguage(null, 'fr')).toBe('fr');
  expect(preferredLanguage(null, null)).toBe('en');
  expect(preferredLanguage(null, 'fi')).toBe('en');
});
