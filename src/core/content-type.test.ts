import { expect, it } from 'vitest';
import { isJsonContentType } from './content-type.ts';

it('accepts application/json and +json types only', () => {
  for (const type of [
    'application/json',
    'Application/JSON; charset=UTF-8',
    'application/json,application/json',
    'application/vnd.api+json',
  ])
    expect(isJsonContentType(type), type).toBe(true);
  for (const type of [undefined, 'text/plain', 'application/jsonp', 'application/x-www-form-urlencoded', 'text/json'])
    expect(isJsonContentType(type), type).toBe(false);
});
