import { describe, expect, it } from 'vitest';
import {
  edgeSession,
  logLines,
  replies,
  scopeActivity,
  send,
  statusOf,
  useEdge,
  useOptions,
  withoutToken,
} from '../../test/support/edge.ts';
import type { Session } from '../engine/route.ts';

useEdge();

describe('bodies', () => {
  it.each([
    undefined,
    'text/plain',
    'Application/JSON; charset=UTF-8',
    'not a type',
    'application/octet-stream',
    'x/y',
  ])('are JSON whatever the content type (%s)', async (type) => {
    const reply = await send('POST /api/things', '{"a":1}', { 'content-type': type });
    expect(reply.json()).toEqual({ body: { a: 1 }, raw: 7 });
  });
  it.each(['', ' ', '{', '5', 'null', '"x"', '[]', '[{}]', 'a=b'])(
    'are rejected with 422 before the token if they are not objects: %j',
    async (text) => {
      expect(await statusOf('POST /api/things', text, withoutToken)).toBe(422);
      expect(await statusOf('POST /api/late', text, withoutToken)).toBe(401);
      expect(await statusOf('POST /api/late', text)).toBe(422);
      expect(await statusOf('POST /api/optional', text)).toBe(text.trim() === '' ? 200 : 422);
      expect(await statusOf('POST /api/anything', text)).toBe(200);
    },
  );
  it('refuse malformed JSON where no body is read, if its content type is JSON', async () => {
    const json = { 'content-type': 'application/json' };
    expect(await statusOf('GET /api/things', '{', json)).toBe(422);
    expect(await statusOf('DELETE /api/things/5', '{', json)).toBe(422);
    expect(await statusOf('DELETE /api/things/5', '{', { 'content-type': 'text/plain' })).toBe(200);
    expect(await statusOf('GET /api/things', '', json)).toBe(200);
    expect(await statusOf('GET /api/things', undefined, json)).toBe(200);
  });
  it('refuse invalid UTF-8 and deep nesting', async () => {
    expect(await statusOf('POST /api/things', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toBe(422);
    expect(await statusOf('POST /api/things', `{"a":${'['.repeat(100)}${']'.repeat(100)}}`)).toBe(422);
    expect(await statusOf('POST /api/things', `{"a":${'['.repeat(99)}${']'.repeat(99)}}`)).toBe(200);
  });
  it('have a limit', async () => {
    const whole = `{"a":"${'x'.repeat(1024 * 1024 - 8)}"}`;
    expect(await statusOf('POST /api/things', whole)).toBe(200);
    const reply = await send('POST /api/things', `${whole} `, { origin: 'http://x' });
    expect([reply.statusCode, Object.keys(reply.json()), reply.headers['x-farmbot-rpc-id']]).toEqual([
      413,
      ['error'],
      undefined,
    ]);
    const reset = await send('POST /api/password_resets', `{"email":"${'x'.repeat(4096)}"}`);
    expect([reset.statusCode, reset.headers['content-type']]).toEqual([413, 'text/plain; charset=utf-8']);
  });
});

describe('tokens, versions, transactions', () => {
  it('run handlers with the scope of the device, in a transaction if they write', async () => {
    const reply = await send('GET /api/things', undefined, {
      'x-farmbot-rpc-id': 'two words',
      'user-agent': 'FarmbotOS/15.0.0',
    });
    expect(reply.json()).toEqual({
      device: 7,
      user: 3,
      label: 'two words',
      origin: 'robot',
      isTransaction: false,
      query: {},
    });
    expect((await send('PATCH /api/things/5', '{}')).json()).toEqual({ isTransaction: true });
    expect((await send('POST /api/outside')).json()).toEqual({ isTransaction: false });
    expect(await statusOf('POST /api/refused')).toBe(422);
    expect([scopeActivity.commits, scopeActivity.rollbacks]).toEqual([1, 1]);
    await expect(Promise.all(scopeActivity.identities.map(({ responseSent }) => responseSent))).resolves.toHaveLength(
      4,
    );
  });
  it.each(['good', 'Bearer good', 'Bearer: good', 'bearer   good '])('accept the header %j', async (authorization) => {
    expect(await statusOf('GET /api/things', undefined, { authorization })).toBe(200);
  });
  it('distinguish missing, empty and bad tokens', async () => {
    const error = async (authorization?: string) => {
      const reply = await send('GET /api/things', undefined, { authorization });
      expect(reply.statusCode).toBe(401);
      return reply.json().error;
    };
    expect(await error()).toEqual(expect.any(String));
    expect(await error('')).toEqual({ jwt: expect.any(String), strategy: null });
    expect(await error('Bearer bad')).toEqual({ jwt: expect.any(String), strategy: 'jwt' });
  });
  it('refuse old robots before checking the token, but after checking the body', async () => {
    const old = { 'user-agent': 'FarmbotOS/1.1.1 (rpi3) rpi3 ()', ...withoutToken };
    expect(await statusOf('GET /api/things', undefined, old)).toBe(426);
    expect(await statusOf('POST /api/things', '{}', old)).toBe(426);
    expect(await statusOf('POST /api/things', '', old)).toBe(422);
    expect(await statusOf('GET /api/nothing', undefined, old)).toBe(404);
    expect((await send('GET /api/hello', undefined, old)).json()).toMatchObject({
      isRobot: true,
      robotVersion: '1.1.1',
    });
    expect((await send('GET /api/hello', undefined, { 'user-agent': 'Browser' })).json()).toMatchObject({
      isRobot: false,
    });
  });
  it('show only an id of an unexpected error', async () => {
    const reply = await send('GET /api/broken');
    expect(reply.statusCode).toBe(500);
    expect(reply.body).not.toContain('secret');
    const id = /\((.+)\)/.exec(reply.json().error)?.[1];
    expect(
      logLines.filter((line) => line.includes(`"request":"${id}"`) && line.includes('secret detail')),
    ).toHaveLength(1);
  });
  it('log neither queries nor secrets', async () => {
    await send('GET /api/things?token=hidden', undefined, { authorization: 'good', cookie: 'hidden' });
    await send('GET /verify/hidden');
    expect(logLines.join()).not.toMatch(/hidden|good/);
    expect(logLines[0]).toContain('"path":"/api/things","status":200');
  });
  it('pass each reply to onReply, which may refuse it', async () => {
    await send('GET /api/things');
    await send('GET /api/things', undefined, withoutToken);
    expect(replies).toEqual(['/api/things 200', '/api/things 401']);
    useOptions({
      onReply: () => {
        throw new Error('not as declared');
      },
    });
    expect(await statusOf('GET /api/things')).toBe(500);
  });
});

describe('limits', () => {
  it('throttle in plain text, with CORS and without a request id', async () => {
    for (let i = 0; i < 15; i++) expect(await statusOf('GET /api/device/sync.json')).toBe(200);
    const reply = await send('GET /api/device/sync', undefined, { origin: 'http://x' });
    expect([reply.statusCode, reply.headers['content-type']]).toEqual([429, 'text/plain; charset=utf-8']);
    expect(Number(reply.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(Number(reply.headers['retry-after'])).toBeLessThanOrEqual(60);
    expect(reply.headers['access-control-allow-origin']).toBe('*');
    expect(reply.headers['x-farmbot-rpc-id']).toBeUndefined();
    expect(await statusOf('OPTIONS /api/device/sync')).toBe(200);
    expect(await statusOf('GET /api/device/sync', undefined, {}, '10.0.0.8')).toBe(200);
    expect(await statusOf('GET /api/device/sync', undefined, {}, '::ffff:127.0.0.1')).toBe(200);
  });
  it('allow three resets per e-mail address and network', async () => {
    const request = (from: string) => statusOf('POST /api/password_resets', '{"email":" A@b.c"}', {}, from);
    for (let i = 1; i <= 4; i++) expect(await request('10.0.1.1')).toBe(i < 4 ? 200 : 429);
    expect(await request('10.0.1.2')).toBe(200);
  });
  it('can be disabled', async () => {
    useOptions({ rateLimits: false });
    for (let i = 0; i < 20; i++) expect(await statusOf('GET /api/device/sync')).toBe(200);
  });
});

describe('CSP reports', () => {
  it('are returned, or get a problem; the .json path returns an empty object', async () => {
    const report =
      '{"csp-report":{"document-uri":"http://x/password_reset/hidden?hidden","violated-directive":"img-src"}}';
    expect((await send('POST /csp_reports', report)).json()).toEqual(JSON.parse(report));
    expect(logLines.join()).toContain('img-src');
    expect(logLines.join()).not.toContain('hidden');
    expect((await send('POST /csp_reports.json', report)).json()).toEqual({});
    for (const text of ['not json', '', '[]']) {
      const reply = await send('POST /csp_reports', text);
      expect([reply.statusCode, Object.keys(reply.json())]).toEqual([200, ['problem']]);
    }
  });
});

describe('rights', () => {
  const as = (changes: Partial<Session>) => useOptions({ authenticate: async () => ({ ...edgeSession, ...changes }) });
  const refusalOf = async (line: string): Promise<string | null> => {
    const reply = await send(line);
    expect([200, 403]).toContain(reply.statusCode);
    return reply.statusCode === 200 ? null : reply.json().error;
  };

  it('follow from the role, which a refusal names', async () => {
    expect(await refusalOf('POST /api/owners')).toBeNull();
    as({ rights: { role: 'gardener', scopes: null } });
    expect(await refusalOf('POST /api/owners')).toBe(
      'This needs the role owner; your role in this garden is gardener.',
    );
    expect(scopeActivity.commits).toBe(1);
  });

  it('follow from the scopes of a personal token', async () => {
    as({ kind: 'personal token', rights: { role: 'owner', scopes: new Set(['admin']) } });
    expect(await refusalOf('POST /api/owners')).toBeNull();
    expect(await refusalOf('POST /api/sessions')).toBe('A personal token cannot do this. Sign in with your password.');
    as({ kind: 'personal token', rights: { role: 'owner', scopes: new Set(['read', 'garden']) } });
    expect(await refusalOf('POST /api/owners')).toBe('The token does not have the scope admin.');
  });

  it('are checked before the id in the path, and the password after it', async () => {
    const confirmed: string[] = [];
    useOptions({
      confirm: async (_scope, call) => {
        confirmed.push(`outside ${call.params.id}`);
        return async (scope) => void confirmed.push(`inside ${scope.isTransaction}`);
      },
    });
    expect(await statusOf('DELETE /api/secrets/x')).toBe(404);
    expect(confirmed).toEqual([]);
    expect(await statusOf('DELETE /api/secrets/5')).toBe(200);
    expect(confirmed).toEqual(['outside 5', 'inside true']);
    as({ isTemporary: true });
    for (const line of ['DELETE /api/secrets/x', 'POST /api/sessions'])
      expect(await refusalOf(line)).toBe('A temporary token cannot do this. Use the token of your session.');
  });
});
