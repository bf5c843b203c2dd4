import { expect, it } from 'vitest';
import { messagesIn } from './message.ts';
import { storedMessages } from './stored-messages.ts';

const say = messagesIn({
  en: {
    ready: 'The robot is ready.',
    failed: (name: string, reason: string) => `Failed to run "${name}": ${reason}`,
    moved: (place: string) => `Moved to ${place}.`,
    runs: (name: string) => `${name} runs a program.`,
  },
  fr: {
    ready: 'Le robot est prêt.',
    failed: (name, reason) => `Échec : « ${name} » : ${reason}`,
    moved: (place) => `Arrivé en ${place}.`,
    runs: (name) => `Un programme est exécuté (${name}).`,
  },
  api: { runs: (name) => `${name} runs a sequence.` },
});
const read = storedMessages([say]);

it('reads stored sentences, with their values', () => {
  expect(read('The robot is ready.')?.in('fr')).toBe('Le robot est prêt.');
  expect(read('Moved to (1, 2, 3).')?.in('fr')).toBe('Arrivé en (1, 2, 3).');
  expect(read('Failed to run "Sow": Moved to x.')?.in('fr')).toBe('Échec\u00a0: «\u00a0Sow\u00a0»\u00a0: Arrivé en x.');
  expect(read('It runs a sequence.')?.in('en')).toBe('It runs a program.');
  expect(read('It runs a sequence.')?.in('api')).toBe('It runs a sequence.');
});

it('reads no other texts', () => {
  for (const text of ['', 'Moved.', 'The robot is ready', 'The robot is ready. Moved to x.', 'moved to x.'])
    expect(read(text)).toBeNull();
});

it('leaves names in quotation marks, and words outside of values, as they are', () => {
  const readWithWords = storedMessages([say], [messagesIn({ en: { home: 'home' }, fr: { home: 'à la maison' } })]);
  expect(readWithWords('Moved to home.')?.in('fr')).toBe('Arrivé en à la maison.');
  expect(readWithWords('home')).toBeNull();
  const text = 'Failed to run "The robot is ready.": x';
  expect(read(text)?.in('fr')).toBe('Échec\u00a0: «\u00a0The robot is ready.\u00a0»\u00a0: x');
});

it('reads no long texts', () => {
  expect(read(`Moved to ${'x'.repeat(490)}.`)?.in('fr')).toMatch(/^Arrivé en x/);
  expect(read(`Moved to ${'x'.repeat(491)}.`)).toBeNull();
  expect(read('Moved to '.repeat(5000))).toBeNull();
});
