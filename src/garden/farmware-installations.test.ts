import { describe, expect, it } from 'vitest';
import { Problem } from '../engine/kinds.ts';
import { urlProblem } from './farmware-installations.ts';

describe("the address of a farmware's manifest", () => {
  it.each([
    'http://garden.example/manifest.json',
    'HTTPS://garden.example',
    'https://[2001:db8::1]:8443/a?b=c#d',
    `http://garden.example/${'x'.repeat(1978)}`,
  ])('may be %s', (url) => {
    expect(urlProblem(url, 'url')).toBeNull();
  });

  it.each([
    'x',
    '5',
    'ftp://garden.example/x',
    'javascript:alert(1)',
    'http:garden.example',
    'http://',
    'http:///x',
    'http://exa mple.com/',
    'http://garden.example/a b',
    'http://garden.example:99999/',
  ])('may not be %s', (url) => {
    expect(urlProblem(url, 'url')).toEqual(new Problem('Url must be an http or https address.', 'model'));
  });

  it('is measured in bytes', () => {
    expect(urlProblem(`http://garden.example/${'ü'.repeat(990)}`, 'url')).toEqual(
      new Problem('Url is too long (at most 2000 bytes).', 'model'),
    );
  });
});
