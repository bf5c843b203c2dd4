import { expect, it } from 'vitest';
import { Failure, invalid, refused, throttled } from '../core/errors.ts';
import { verbatim } from '../core/message.ts';
import { renderFailure, renderUnknown } from './error-renderer.ts';

it('renders every failure with its status and shape', () => {
  const rendered = (failure: Failure, strategy: 'jwt' | null = 'jwt') => {
    const { status, text, type } = renderFailure(failure, 'api', strategy);
    return [status, type.startsWith('application/json') ? JSON.parse(text) : text];
  };
  expect(rendered(invalid({ name: verbatim('a'), body: { x: verbatim('b') }, list: [null, verbatim('c')] }))).toEqual([
    422,
    { name: 'a', body: { x: 'b' }, list: [null, 'c'] },
  ]);
  expect(rendered(refused(verbatim('no')))).toEqual([422, { error: 'no' }]);
  expect(rendered(new Failure('not_found', verbatim('Tool not found.')))).toEqual([404, { error: 'Tool not found.' }]);
  expect(rendered(new Failure('bad_token', verbatim('bad')))).toEqual([
    401,
    { error: { jwt: 'bad', strategy: 'jwt' } },
  ]);
  expect(rendered(new Failure('bad_token', verbatim('bad')), null)).toEqual([
    401,
    { error: { jwt: 'bad', strategy: null } },
  ]);
  expect(rendered(new Failure('unauthenticated', verbatim('who')))).toEqual([401, { error: 'who' }]);
  expect(rendered(new Failure('stale_record', verbatim('old')))).toEqual([409, { stale_record: 'old' }]);
  expect(rendered(new Failure('throttled', verbatim('wait')))).toEqual([429, 'wait\n']);
  expect(renderFailure(new Failure('throttled', verbatim('wait')), 'api').headers).toEqual({});
  expect(renderFailure(throttled(1), 'api').headers).toEqual({ 'retry-after': '1' });
  expect(renderFailure(throttled(59_001), 'api').headers).toEqual({ 'retry-after': '60' });
  expect(renderFailure(new Failure('throttled'), 'api').type).toBe('text/plain; charset=utf-8');
  expect(rendered(new Failure('too_many_open', verbatim('full')))).toEqual([429, { error: 'full' }]);
  expect(renderFailure(new Failure('too_many_open', verbatim('full'), { wait: 30_000 }), 'api').headers).toEqual({
    'retry-after': '30',
  });
  expect(rendered(new Failure('unavailable', verbatim('later')))).toEqual([503, { error: 'later' }]);
  expect(renderUnknown('abc-1', 'api').text).toContain('abc-1');
});
