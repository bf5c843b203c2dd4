// Writes test/durations.json, by which slow test files begin first, from vitest's record of its last runs.
//   npm run test:all; npm run durations
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const cache = join(root, 'node_modules/.vite/vitest');
const seconds = new Map();
for (const name of existsSync(cache) ? readdirSync(cache) : []) {
  const { results } = JSON.parse(readFileSync(join(cache, name, 'results.json'), 'utf8'));
  for (const [key, { duration }] of results) {
    const file = key.slice(key.indexOf(':') + 1);
    // A file runs on each engine, at about the same speed. Files of less than a second may run in any order.
    const longest = Math.max(Math.round(duration / 1000), seconds.get(file) ?? 0);
    if (longest > 0 && existsSync(join(root, file))) seconds.set(file, longest);
  }
}
if (seconds.size === 0) {
  console.error('There are no results: run npm run test:all first.');
  process.exit(1);
}
writeFileSync(
  join(root, 'test/durations.json'),
  `${JSON.stringify(Object.fromEntries([...seconds].sort()), null, 2)}\n`,
);
