import { describe, expect, it } from 'vitest';
import { enginesOf } from './engines.ts';

describe('ENGINES', () => {
  it.each([
    [undefined, ['sqlite', 'postgres']],
    ['', ['sqlite', 'postgres']],
    ['sqlite', ['sqlite']],
    ['postgres', ['postgres']],
    ['postgres, sqlite', ['sqlite', 'postgres']],
  ])('%j names %j', (list, expected) => {
    expect(enginesOf(list)).toEqual(expected);
  });

  it('refuses other names', () => {
    expect(() => enginesOf('sqlite,mysql')).toThrow(
      'ENGINES: "mysql" is no engine. Write one of sqlite, postgres, or several with commas.',
    );
  });
});
