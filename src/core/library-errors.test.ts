import { describe, expect, it } from 'vitest';
import { nodeFetch, onLateError, reportLateError, withLateErrors } from './library-errors.ts';

/** An error with a stack of these places. */
function thrownIn(...places: string[]): Error {
  const error = new Error('unforeseen');
  error.stack = ['Error: unforeseen', ...places.map((place) => `    at function (${place}:1:2)`)].join('\n');
  return error;
}

const socket = 'node:events';
const mailer = '/srv/potager/node_modules/mailer/lib/connection.js';

describe('an error that a library throws late', () => {
  it('fails its attempts that run, and no others', async () => {
    const attempts = ['one', 'two'].map(() => withLateErrors('mailer', () => new Promise(() => undefined)));
    const other = withLateErrors('broker', async () => 'connected');
    const error = thrownIn(mailer, socket);
    expect(reportLateError(error)).toBe('mailer');
    for (const attempt of attempts) await expect(attempt).rejects.toBe(error);
    expect(await other).toBe('connected');
  });

  it('is still of the library after its attempts', async () => {
    await withLateErrors('mailer', async () => undefined);
    expect(reportLateError(thrownIn(mailer))).toBe('mailer');
  });

  it('is of a library of the program that npm installed', async () => {
    await withLateErrors('mailer', async () => undefined);
    const error = thrownIn('file:///usr/lib/node_modules/potager/node_modules/mailer/index.js');
    expect(reportLateError(error, '/usr/lib/node_modules/potager/')).toBe('mailer');
  });

  it('may come from a dependency of the library, from a scope, or from Node’s own fetch', () => {
    const failed: string[] = [];
    const ends = ['mailer', '@scope', nodeFetch].map((library) => onLateError(library, () => failed.push(library)));
    reportLateError(thrownIn(socket, '/srv/node_modules/mailer/node_modules/parser/index.js', mailer));
    reportLateError(thrownIn('file:///srv/node_modules/@scope/client/dist/index.js', socket));
    reportLateError(thrownIn('node:internal/deps/undici/undici', socket));
    for (const end of ends) end();
    reportLateError(thrownIn(mailer));
    expect(failed).toEqual(['mailer', '@scope', nodeFetch]);
  });

  it.each([
    ['threw it', thrownIn('/srv/potager/dist/main.js', mailer)],
    ['called the library', thrownIn('/srv/node_modules/unknown/index.js', '/srv/potager/dist/main.js', mailer)],
    ['threw it, installed by npm', thrownIn('/usr/lib/node_modules/potager/dist/main.js', mailer)],
    ['is not known', thrownIn('/srv/node_modules/unknown/index.js')],
    ['is no error', 'mailer'],
  ])('belongs to no library where the program %s', async (_, error) => {
    let failed = 0;
    const end = onLateError('mailer', () => failed++);
    expect(reportLateError(error, '/usr/lib/node_modules/potager/')).toBeNull();
    end();
    expect(failed).toBe(0);
  });
});
