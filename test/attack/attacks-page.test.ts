import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filled } from '../../scripts/document-text.mjs';
import { attacksPage } from './attacks-page.ts';
import { attemptGroups, attempts } from './attempts/list.ts';

const root = resolve(import.meta.dirname, '../..');

it('equals docs/reference/attacks.md (update it with: npm run docs)', async () => {
  await expect(filled(attacksPage(attemptGroups))).toMatchFileSnapshot('../../docs/reference/attacks.md');
});

describe('SECURITY.md', () => {
  const [, properties = ''] = /## Security properties\n([\s\S]*?)\n## /.exec(
    readFileSync(resolve(root, 'SECURITY.md'), 'utf8'),
  ) ?? [''];
  const paragraphs = properties.split('\n\n').filter((text) => text.startsWith('**'));

  it('describes the properties that are attacked', () => {
    const titles = paragraphs.map((text) => /^\*\*([^*]+?)[.:]?\*\*/.exec(text)?.[1]);
    for (const { name, property } of attempts) expect(titles, name).toContain(property);
  });

  it.each(paragraphs.map((text) => [text.slice(0, 40), text]))('names tests that exist: %s', (_beginning, text) => {
    const tests = [...text.matchAll(/\]\(([\w/.-]+\.test\.ts)\)/g)].map(([, path = '']) => path);
    expect(tests.length).toBeGreaterThan(0);
    for (const path of tests) expect([path, existsSync(resolve(root, path))]).toEqual([path, true]);
  });
});
