import { describe, expect, it } from 'vitest';
import { resources } from '../resources.ts';
import type { Guarded, Rights } from './rights.ts';
import { allRights, assertRole, hasRole, needOf, ResourceRights, refusal } from './rights.ts';
import type { Scope } from './tags.ts';

const token = (...scopes: Scope[]): Rights => ({ role: 'owner', scopes: new Set(scopes) });
const refused = (rights: Rights, guarded: Guarded): string | null =>
  refusal(rights, needOf(guarded))?.toString() ?? null;

describe('roles', () => {
  it('have the rights of lower roles', () => {
    expect(hasRole('owner', 'viewer')).toBe(true);
    expect(hasRole('gardener', 'gardener')).toBe(true);
    expect(hasRole('viewer', 'gardener')).toBe(false);
  });

  it.each([
    [{ method: 'GET', tag: 'Garden' }, 'viewer'],
    [{ method: 'PATCH', tag: 'Garden' }, 'gardener'],
    [{ method: 'POST', tag: 'Garden', readsOnly: true }, 'viewer'],
    [{ method: 'GET', tag: 'Account' }, 'viewer'],
    [{ method: 'POST', tag: 'Account' }, 'owner'],
    [{ method: 'DELETE', tag: 'Sign in' }, 'viewer'],
    [{ method: 'DELETE', tag: 'Garden', role: 'owner' }, 'owner'],
  ] as const)('of %j', (guarded, role) => {
    expect(needOf(guarded).role).toBe(role);
  });

  it('are named by a refusal', () => {
    const sentence = 'This needs the role gardener; your role in this garden is viewer.';
    expect(refused({ role: 'viewer', scopes: null }, { method: 'POST', tag: 'Garden' })).toBe(sentence);
    expect(() => assertRole({ role: 'viewer', scopes: null }, 'gardener')).toThrow(sentence);
    expect(() => assertRole(allRights, 'owner')).not.toThrow();
  });
});

describe('scopes', () => {
  it.each([
    [{ method: 'GET', tag: 'Programs' }, ['read', 'programs']],
    [{ method: 'POST', tag: 'Programs' }, ['programs']],
    [{ method: 'GET', tag: 'Account' }, ['account']],
    [{ method: 'GET', tag: 'Device', scope: 'read' }, ['read']],
  ] as const)('of %j', (guarded, scopes) => {
    expect(refused(allRights, guarded)).toBeNull();
    for (const scope of ['read', 'garden', 'programs', 'control', 'logs', 'account', 'admin'] as const)
      expect(refused(token(scope), guarded) === null, scope).toBe((scopes as readonly Scope[]).includes(scope));
  });

  it('are named by a refusal', () => {
    expect(refused(token('logs'), { method: 'GET', tag: 'Programs' })).toBe(
      'The token does not have the scope read or programs.',
    );
    expect(refused(token(), { method: 'GET', tag: 'Programs', scope: 'any' })).toBeNull();
    for (const guarded of [{ needsSession: true }, { confirms: true }] as const)
      expect(refused(token('account'), { method: 'POST', tag: 'Account', ...guarded })).toBe(
        'A personal token cannot do this. Sign in with your password.',
      );
  });
});

describe('logged resources', () => {
  const rights = new ResourceRights(resources);

  it('are readable and writable as their tags say', () => {
    expect(['Point', 'Sequence', 'Log', 'Device', 'User', 'Nothing'].filter(rights.readable(token('read')))).toEqual([
      'Point',
      'Sequence',
      'Device',
    ]);
    expect(rights.names.filter(rights.readable(token('account')))).toEqual(['User']);
    // Its announcements have the address of a person.
    for (const role of ['viewer', 'gardener'] as const) {
      const readable = rights.readable({ role, scopes: null });
      expect(rights.names.filter((name) => !readable(name))).toEqual(['User']);
    }
    expect(['Point', 'Sequence', 'FarmEvent', 'Log'].filter(rights.writable(token('programs')))).toEqual([
      'Sequence',
      'FarmEvent',
    ]);
    expect(['Point', 'Sequence', 'User'].filter(rights.writable({ role: 'gardener', scopes: null }))).toEqual([
      'Point',
      'Sequence',
    ]);
    expect(rights.names.filter(rights.writable({ role: 'viewer', scopes: null }))).toEqual([]);
  });
});
