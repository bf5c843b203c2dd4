import { expect, it } from 'vitest';
import { translateError } from './errors.ts';

it.each(['ECONNREFUSED', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'])('%s: the database is unavailable', (code) => {
  const error = Object.assign(new Error(`connect ${code} 192.0.2.7:5432`), { code });
  expect(translateError(error)).toMatchObject({ code: 'unavailable', status: 503 });
});
