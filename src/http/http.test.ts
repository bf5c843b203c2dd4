import { describe, expect, it } from 'vitest';
import { send, statusOf, useEdge, useOptions, withoutToken } from '../../test/support/edge.ts';

useEdge();

describe('routing', () => {
  it.each(['/api/things', '/api/things.json', '/api/things/', '/api//things', '//api/things?x[]=1'])(
    'finds %s',
    async (url) => {
      expect(await statusOf(`GET ${url}`)).toBe(200);
    },
  );
  it.each(['/api/things.JSON', '/api/things.json.json', '/api/Things', '/api', '/api/', '/nothing', '/api/things/1/2'])(
    '404 for %s',
    async (url) => {
      const reply = await send(`GET ${url}`, undefined, withoutToken);
      expect([reply.statusCode, Object.keys(reply.json())]).toEqual([404, ['error']]);
    },
  );
  it('responds with 404 to methods that no route declares', async () => {
    for (const line of ['DELETE /api/things', 'POST /api/things/5', 'PUT /api/things', 'POST /api/hello'])
      expect(await statusOf(line, '{}'), line).toBe(404);
  });
  it('serves PATCH as PUT, and HEAD as GET without a body', async () => {
    expect((await send('PUT /api/things/5', '{}')).json()).toEqual({ isTransaction: true });
    const head = await send('HEAD /api/things/5');
    expect([head.statusCode, head.body, head.headers['content-length']]).toEqual([200, '', '8']);
  });
  it.each([
    '0',
    '00',
    '-1',
    'abc',
    'x5',
    '%20',
    '5.0',
    '1e3',
    '%D9%A3',
    '1,2',
    '5.xml',
    '9999999999999999',
    '99999999999999999999',
    '%zz',
  ])('404 for the id %s', async (id) => {
    const reply = await send(`GET /api/things/${id}`);
    expect([reply.statusCode, Object.keys(reply.json())]).toEqual([404, ['error']]);
  });
  it.each(['1', '2147483648', '999999999999999'])('finds the id %s', async (id) => {
    expect((await send(`GET /api/things/${id}`)).json()).toEqual({ id: Number(id) });
  });
  it('checks the token before the id', async () => {
    expect(await statusOf('GET /api/things/abc', undefined, withoutToken)).toBe(401);
  });
  it('accepts long parameters and refuses longer ones with 414', async () => {
    expect((await send(`GET /api/many/${'1,'.repeat(5000)}1`)).json()).toEqual({ ids: 10_001 });
    const long = await send(`GET /api/many/${'1,'.repeat(9000)}`, undefined, { origin: 'http://x' });
    expect([long.statusCode, Object.keys(long.json()), long.headers['access-control-allow-origin']]).toEqual([
      414,
      ['error'],
      '*',
    ]);
  });
  it('keeps the last of repeated query parameters', async () => {
    expect((await send('GET /api/things?a=1&a=2')).json().query).toEqual({ a: '2' });
  });
});

describe('headers', () => {
  it('returns the request id, or a new one', async () => {
    const id = async (line: string, sent?: string) =>
      (await send(line, undefined, { 'x-farmbot-rpc-id': sent })).headers['x-farmbot-rpc-id'];
    for (const line of [
      'GET /api/things',
      'GET /api/things/abc',
      'GET /api/hello',
      'POST /api/things',
      'GET /api/nothing',
    ])
      expect(await id(line, 'abc-123')).toBe('abc-123');
    const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    expect(await id('GET /api/things')).toMatch(uuid);
    expect(await id('GET /api/things', 'x'.repeat(201))).toMatch(uuid);
    expect(await id('GET /api/things', 'ü')).toMatch(uuid);
  });
  it('allows other origins (CORS)', async () => {
    const shared = {
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'X-Farmbot-Rpc-Id',
      'access-control-max-age': '0',
    };
    for (const line of ['GET /api/things', 'GET /api/things/abc', 'POST /api/things', 'GET /api/nothing'])
      expect((await send(line, undefined, { origin: 'null' })).headers, line).toMatchObject(shared);
    const preflight = {
      origin: 'http://x',
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'authorization,x-y',
    };
    for (const url of ['/api/things', '/api/things/5', '/api/things.json', '/api/nothing', '/api//things/']) {
      const reply = await send(`OPTIONS ${url}`, undefined, { ...preflight, ...withoutToken });
      expect([reply.statusCode, reply.body]).toEqual([200, '']);
      expect(reply.headers).toMatchObject({ ...shared, 'access-control-allow-headers': 'authorization,x-y' });
    }
    expect((await send('GET /api/things')).headers['access-control-allow-origin']).toBeUndefined();
    expect(
      (await send('GET /', undefined, { origin: 'http://x' })).headers['access-control-allow-origin'],
    ).toBeUndefined();
  });
  it('sends security headers, which a reply may replace', async () => {
    const api = (await send('GET /api/things')).headers;
    expect(api).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
    });
    expect(api['strict-transport-security']).toBeUndefined();
    const page = (await send('GET /')).headers;
    expect(page['x-frame-options']).toBe('DENY');
    expect(page['cross-origin-opener-policy']).toBe('same-origin');
    expect(page['permissions-policy']).toMatch(/^(?:[a-z-]+=\(\), )+usb=\(\)$/);
    expect(api['permissions-policy']).toBeUndefined();
    expect(page['content-security-policy']).toContain('wss://broker.example');
    // Styles and frames follow the default: files of this server, nothing inline.
    expect(page['content-security-policy']).toMatch(/^default-src 'self';/);
    expect(page['content-security-policy']).not.toMatch(/unsafe-inline|style-src|frame-src/);
  });
  it('determines host, scheme and client address', async () => {
    const call = async (headers: Record<string, string>) => (await send('GET /api/hello', undefined, headers)).json();
    expect(await call({ host: 'garden.example' })).toMatchObject({
      host: 'garden.example:80',
      isSecure: false,
      address: '10.0.0.9',
    });
    for (const host of ['a/b', '999.1.1.1', 'foo.0x', 'xn--a', '[1:2]'])
      expect((await call({ host })).host, host).toBe('localhost:80');
    const forwarded = {
      host: 'x',
      'x-forwarded-host': 'y:8443',
      'x-forwarded-proto': 'https',
      'x-forwarded-for': '192.0.2.1',
    };
    expect(await call(forwarded)).toMatchObject({ host: 'x:80', isSecure: false, address: '10.0.0.9' });
    useOptions({ trustProxy: '10.0.0.0/8' });
    expect((await send('GET /api/hello', undefined, forwarded)).headers['strict-transport-security']).toBe(
      'max-age=604800',
    );
    expect(await call(forwarded)).toMatchObject({ host: 'y:8443', isSecure: true, address: '192.0.2.1' });
    const from = async (list: string) => (await call({ ...forwarded, 'x-forwarded-for': list })).address;
    for (const list of ['198.51.100.9, 192.0.2.1', '127.0.0.1,192.0.2.1', 'unknown, 192.0.2.1', '192.0.2.1, 10.1.1.1'])
      expect(await from(list), list).toBe('192.0.2.1');
    for (const list of ['unknown', '192.0.2.1:4711', 'x'.repeat(5000), '_hidden', ','])
      expect(await from(list), list).toBe('10.0.0.9');
    useOptions({ trustProxy: true });
    expect(await call(forwarded)).toMatchObject({ host: 'y:8443', isSecure: true, address: '192.0.2.1' });
    // Entries before the proxy's own were sent by its client.
    for (const list of ['127.0.0.1, 192.0.2.1', '10.1.1.1,192.0.2.1', 'unknown, 192.0.2.1'])
      expect(await from(list), list).toBe('192.0.2.1');
    expect(await from('192.0.2.1, 10.1.1.1')).toBe('10.1.1.1');
    expect(await from('2001:db8::1')).toBe('2001:db8::1');
    for (const list of ['unknown', '192.0.2.1, unknown', '192.0.2.1:4711', '[2001:db8::1]', ''])
      expect(await from(list), list).toBe('10.0.0.9');
    useOptions({ publicUrl: new URL('https://garden.example') });
    expect(await call({ host: 'x' })).toMatchObject({ host: 'garden.example:443', isSecure: true });
    expect((await send('GET /api/hello')).headers['strict-transport-security']).toBe('max-age=31536000');
    useOptions({ publicUrl: new URL('http://garden.example') });
    expect((await send('GET /api/hello')).headers['strict-transport-security']).toBeUndefined();
  });
});
