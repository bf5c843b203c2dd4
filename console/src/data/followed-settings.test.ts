import { expect, it } from 'vitest';
import { followedSettings } from './followed-settings.ts';

/** The sources of the console by their paths, without texts, tests, and code that treats all settings alike. */
const files: Readonly<Record<string, string>> = import.meta.glob('../**/*.{ts,tsx}', {
  query: '?raw',
  import: 'default',
  eager: true,
});
const sources = Object.entries(files).filter(([path]) => !/generated|\.test\.|text|words|\/settings\//.test(path));

it('has only settings that code reads, and is the only source that could read others', () => {
  const readers = sources.filter(([path]) => path !== './followed-settings.ts').map(([, source]) => source);
  expect(readers.length).toBeGreaterThan(100);
  const isRead = (name: string): boolean => readers.some((source) => new RegExp(`\\b${name}\\b`).test(source));
  expect(followedSettings.filter((name) => !isRead(name))).toEqual([]);
  const typed = sources.filter(([, source]) => source.includes("schemas']['WebAppConfig']"));
  expect(typed.map(([path]) => path)).toEqual(['./followed-settings.ts']);
});
