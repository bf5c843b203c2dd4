import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { resources } from '../../../src/resources.ts';
import { rulesOf } from '../../../src/transfer/rules/rule-list.ts';

const folder = new URL('../../../src/transfer/', import.meta.url);
const source = (name: string): string => readFileSync(new URL(name, folder), 'utf8');
const isModule = (name: string): boolean => name.endsWith('.ts') && !name.endsWith('.test.ts');

/** The order of the exported keys is part of the API, and the device is not a resource. */
const generic = readdirSync(folder).filter((name) => isModule(name) && name !== 'account-document.ts');

it('only the rules of a resource name it', () => {
  expect(generic.length).toBeGreaterThan(10);
  for (const name of generic) {
    const text = source(name);
    const strings = [...text.matchAll(/(['"`])([a-z_]+)\1/g)].map(([, , content]) => content);
    expect(
      resources.map((resource) => resource.name).filter((resource) => strings.includes(resource)),
      name,
    ).toEqual([]);
    for (const [, path] of text.matchAll(/from '(\.\.\/[^']+)'/g))
      expect(/= (resource|singleton)\(/.test(source(path ?? '')), `${name} imports ${path}`).toBe(false);
  }
});

it('each resource has its rules in one file', () => {
  const special = readdirSync(new URL('rules/', folder)).filter(isModule);
  const named = resources.map(({ name }) => name).filter((name) => special.includes(`${name.replaceAll('_', '-')}.ts`));
  expect(named.sort()).toEqual(['farm_events', 'folders', 'images', 'point_groups', 'points', 'regimens', 'sequences']);
  for (const resource of resources.filter(({ name }) => named.includes(name)))
    expect(Object.keys(rulesOf(resource)).length, resource.name).toBeGreaterThan(1);
});
