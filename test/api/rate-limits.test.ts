import http from 'node:http';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type SignedInAccount, signUp } from '../support/accounts.ts';
import { password, suiteApp } from '../support/app.ts';
import { HttpClient, HttpResponse } from '../support/http-client.ts';
import type { Json } from '../support/json.ts';

// Loopback clients are not limited. A machine without another address uses one of 127.0.0.0/8.
const lanAddresses = Object.values(networkInterfaces()).flatMap((addresses) =>
  (addresses ?? []).filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => address),
);
const elsewhere = lanAddresses[0] ?? '127.0.0.2';

const settings = { HOST: '127.0.0.1', PORT: '0', RATE_LIMITS: 'on' };

const minute = 60_000;
const hour = 60 * minute;
/** Windows are aligned to the clock, which advances only between tests: from the beginning of an hour. */
const clock = { time: Math.floor(Date.now() / hour) * hour, now: () => clock.time };
beforeEach(() => {
  clock.time += 2 * minute;
});

/** Sends one request over a new connection from an address of this machine. */
function sendFrom(
  address: string,
  port: number,
  line: string,
  sending: { token?: string; body?: Json; headers?: Record<string, string> },
): Promise<HttpResponse> {
  const [method = '', path = ''] = line.split(' ');
  const { token, body, headers = {} } = sending;
  return new Promise((resolve, reject) => {
    const options = { host: address, localAddress: address, port, method, path, agent: false };
    const request = http.request(
      { ...options, headers: { ...(token && { authorization: token }), ...headers } },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () =>
          resolve(new HttpResponse(response.statusCode ?? 0, response.headers, Buffer.concat(parts))),
        );
      },
    );
    request.on('error', reject);
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Expects plain text, readable by other origins. */
function expectThrottled(response: HttpResponse): void {
  expect(response.status).toBe(429);
  expect(response.headers['content-type']).toBe('text/plain; charset=utf-8');
  expect(response.text).toMatch(/^Too many requests\..*wait.*minutes/);
  // In seconds; the longest window has an hour.
  expect(response.headers['retry-after']).toMatch(/^[1-9]\d{0,3}$/);
  expect(response.headers['access-control-allow-origin']).toBe('*');
}

describe('without a proxy', () => {
  const server = suiteApp('sqlite', { ...settings, HOST: '0.0.0.0' }, clock);
  let port: number;
  let local: HttpClient;
  let account: SignedInAccount;
  beforeAll(async () => {
    port = Number(new URL((await server.app.listen()).address).port);
    local = new HttpClient(`http://127.0.0.1:${port}`);
    account = await signUp({ client: local, outbox: null }, 'limits');
  });
  afterAll(() => local.close());

  const get = (path: string, headers: Record<string, string> = {}): Promise<HttpResponse> =>
    sendFrom(elsewhere, port, `GET ${path}`, { token: account.token, headers });

  describe('a remote client', () => {
    it('may sync 15 times a minute, without affecting other requests', async () => {
      const origin = { origin: 'https://my.garden.example' };
      const paths = ['/api/device/sync', '/api/device/sync.json', '//api/device/sync/'];
      for (let i = 0; i < 15; i++) {
        const response = await get(paths[i % 3] ?? '', origin);
        expect([i, response.status]).toEqual([i, 200]);
      }
      for (const path of paths) expectThrottled(await get(path, origin));
      expect((await get('/api/tools')).status).toBe(200);
      // The limit applies to the client, not the account.
      expect((await local.get('/api/device/sync', account.token)).status).toBe(200);
    });

    it('cannot spoof its address', async () => {
      for (let i = 0; i < 16; i++) await get('/api/device/sync');
      for (const claimed of ['127.0.0.1', '::1', '203.0.113.7']) {
        const claims = {
          forwarded: `for=${claimed}`,
          'x-real-ip': claimed,
          'x-client-ip': claimed,
          'x-forwarded-for': claimed,
        };
        expect([claimed, (await get('/api/device/sync', claims)).status]).toEqual([claimed, 429]);
      }
    });

    it('may reset a password three times an hour per e-mail address', async () => {
      const request = (body: Json): Promise<HttpResponse> =>
        sendFrom(elsewhere, port, 'POST /api/password_resets', {
          body,
          headers: { origin: 'https://my.garden.example' },
        });
      const email = account.email;
      for (const spelling of [email, email.toUpperCase(), ` ${email} `])
        expect((await request({ email: spelling })).status).toBe(200);
      expectThrottled(await request({ email }));
      expect((await request({ email: `other.${email}` })).status).toBe(200);
      const large = await request({ email: 'x'.repeat(4096) });
      expect([large.status, large.headers['content-type']]).toEqual([413, 'text/plain; charset=utf-8']);
    });
  });

  describe('a local client', () => {
    it('is not limited', async () => {
      for (let i = 0; i < 20; i++) {
        const response = await local.get('/api/device/sync', account.token);
        expect([i, response.status]).toEqual([i, 200]);
      }
    });
  });
});

describe('behind a trusted proxy (TRUST_PROXY=on)', () => {
  const server = suiteApp('sqlite', { ...settings, TRUST_PROXY: 'on' }, clock);
  let account: SignedInAccount;
  let proxy: HttpClient;
  beforeAll(async () => {
    // The test is the proxy.
    proxy = new HttpClient((await server.app.listen()).address);
    account = await signUp({ client: proxy, outbox: null }, 'proxied');
  });
  afterAll(() => proxy.close());

  /** Sends a request as the proxy forwards it, with the client's address appended. */
  const syncFrom = async (client: string, sent?: string): Promise<number> => {
    const headers = { 'x-forwarded-for': sent === undefined ? client : `${sent}, ${client}` };
    return (await proxy.send('GET', '/api/device/sync', { token: account.token, headers })).status;
  };
  /** Sends as many requests as are allowed, and returns the status of the next one. */
  async function afterLimit(request: (i: number) => Promise<number>): Promise<number> {
    for (let i = 0; i < 15; i++) expect([i, await request(i)]).toEqual([i, 200]);
    return request(15);
  }

  it('limits each client separately', async () => {
    expect(await afterLimit(() => syncFrom('203.0.113.1'))).toBe(429);
    expect(await syncFrom('203.0.113.2')).toBe(200);
  });

  it('does not let a client spoof changing addresses', async () => {
    expect(await afterLimit((i) => syncFrom('203.0.113.3', `198.51.100.${i}`))).toBe(429);
    expect(await afterLimit((i) => syncFrom('203.0.113.4', `2001:db8::${i}, 10.0.0.${i}`))).toBe(429);
  });

  it('does not let a client spoof a loopback address', async () => {
    for (const [i, claimed] of ['127.0.0.1', '::1', '::ffff:127.0.0.1', 'unknown', '127.0.0.1, ::1'].entries())
      expect([claimed, await afterLimit(() => syncFrom(`203.0.113.1${i}`, claimed))]).toEqual([claimed, 429]);
  });

  it('does not let a client use up the limit of another one', async () => {
    for (let i = 0; i < 20; i++) await syncFrom('203.0.113.20', '203.0.113.21');
    expect(await syncFrom('203.0.113.21')).toBe(200);
  });

  it('treats an IPv6 network as one client', async () => {
    expect(await afterLimit((i) => syncFrom(`2001:db8:1:2:${i}::${i}`))).toBe(429);
    expect(await syncFrom('2001:0DB8:1:2::1')).toBe(429);
    expect(await syncFrom('2001:db8:1:3::1')).toBe(200);
  });
});

describe('a robot that reads its garden record by record', () => {
  const server = suiteApp('sqlite', { RATE_LIMITS: 'on' }, clock);
  const userAgent = { 'user-agent': 'FarmbotOS/15.4.11 (rpi3) rpi3 ()' };

  /** Requests from one network, with the session of a robot or of a person. */
  async function client(from: string, headers: Record<string, string>) {
    const { email } = await server.signUp();
    const body = { user: { email, password } };
    const { json } = await server.call('POST', '/api/tokens', { body, headers, from });
    const token = json.token.encoded;
    const send = (method: string, path: string, sent?: object) =>
      server.call(method, path, { token, headers, from, ...(sent && { body: sent }) });
    const { id } = (await send('POST', '/api/tools', { name: 'Trowel' })).json;
    /** Reads the record so many times, and returns the number of refused reads. */
    const read = async (times: number): Promise<number> => {
      let refused = 0;
      for (let i = 0; i < times; i++) if ((await send('GET', `/api/tools/${id}.json`)).status !== 200) refused++;
      return refused;
    };
    return { send, read };
  }

  it('may read 3,000 records a minute, beside other requests of its network', async () => {
    const robot = await client('203.0.113.1', userAgent);
    expect(await robot.read(1100)).toBe(0);
    // Its other requests, and other clients' requests, count as before.
    expect((await robot.send('GET', '/api/tools')).status).toBe(200);
    const person = await client('203.0.113.1', {});
    expect(await person.read(900)).toBe(0);
    expect(await robot.read(1901)).toBe(1);
    expect((await robot.send('GET', '/api/device')).status).toBe(200);
    clock.time += minute;
    expect(await robot.read(1)).toBe(0);
  });

  it('a person may not, also not as a robot', async () => {
    const person = await client('203.0.113.2', {});
    expect(await person.read(1100)).toBeGreaterThan(90);
    // The session counts, not the User-Agent.
    const token = (await server.signUp()).token;
    const statuses = new Set<number>();
    for (let i = 0; i < 1100; i++)
      statuses.add(
        (await server.call('GET', '/api/tools/1', { token, headers: userAgent, from: '203.0.113.3' })).status,
      );
    expect(statuses).toEqual(new Set([404, 429]));
  });
});
