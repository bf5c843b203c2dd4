import { expect, it } from 'vitest';
import { text } from './fields.ts';
import { resource } from './resource.ts';
import { resourceRoutes } from './resource-routes.ts';

const common = {
  tag: 'Garden',
  max: 10,
  description: 'A pot.',
  changeLogName: null,
  fields: { name: text().label('Name', 'Nom') },
} as const;

it('has the routes that it declares', () => {
  const pots = resource('pots', { ...common, routes: ['show', 'destroy'] });
  expect(resourceRoutes(pots).map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /api/pots/:id',
    'DELETE /api/pots/:id',
  ]);
  expect(resourceRoutes(resource('lids', common))).toEqual([]);
});

it('does not compile with an action that does not exist', () => {
  // @ts-expect-error An action is misspelled.
  resource('pots', { ...common, routes: ['lst', 'show'] });
  // @ts-expect-error Actions are a list.
  resource('pots', { ...common, routes: 'lst show' });
});

it('does not compile with a shown field that has no label', () => {
  // @ts-expect-error People have no name for it.
  resource('pots', { ...common, fields: { size: text() } });
  resource('pots', { ...common, fields: { secret: text().hidden() } });
});
