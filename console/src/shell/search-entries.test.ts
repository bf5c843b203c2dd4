import { expect, it } from 'vitest';
import { Sprout } from '../ui/icons.tsx';
import { matchingEntries, type SearchEntry } from './search-entries.ts';

const entry = (label: string, kind: string, detail?: string): SearchEntry => ({
  id: `${kind} ${label} ${detail}`,
  label,
  kind,
  detail,
  icon: Sprout,
  target: { to: '/map' },
});
const labels = (found: readonly SearchEntry[]): readonly string[] => found.map(({ label }) => label);

it('finds names that begin with the input before words, parts and kinds, without accents and capitals', () => {
  const all = [
    entry('Red beet', 'Weed'),
    entry('Sweet beet', 'Plant'),
    entry('Sugarbeet', 'Plant'),
    entry('Béêt', 'Plant'),
    entry('Rake', 'Beet tool'),
    entry('Carrot', 'Plant'),
  ];
  expect(labels(matchingEntries(all, ' BEET '))).toEqual(['Béêt', 'Red beet', 'Sweet beet', 'Sugarbeet', 'Rake']);
});

it('finds entries with all words, in any order and in the detail', () => {
  const all = [entry('Tomato', 'Plant', '(100, 200)'), entry('Tomato', 'Plant', '(300, 200)'), entry('Tomato', 'Weed')];
  expect(matchingEntries(all, '300 plant tom')).toEqual([all[1]]);
});

it('lists everything in order while nothing was typed, and at most fifty', () => {
  const all = Array.from({ length: 60 }, (_, index) => entry(`Plant ${index}`, 'Plant'));
  expect(matchingEntries(all, '')).toEqual(all.slice(0, 50));
});
