import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { expect } from 'vitest';
import { at, numberAt } from '../../support/json.ts';
import { processedPhotoUrl, solidColorPicture, uploadPhoto } from '../../support/photo-upload.ts';
import type { AttackContext } from '../attack-context.ts';
import type { AttackedServer } from '../attacked-server.ts';
import { ownAddress, strangersHost } from '../attacked-server.ts';
import type { Attempt } from '../attempt.ts';
import { always, day } from '../attempt.ts';
import { createGardens } from './fair-shares.ts';

const listen = async (server: Server, host?: string): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return (server.address() as AddressInfo).port;
};
const close = (server: Server): void => {
  server.closeAllConnections();
  server.close();
};

const install = (context: AttackContext, from: string, token: string, url: string) =>
  context.attack(from, 'POST', '/api/farmware_installations', { token, body: { url } });

/** Returns the name or the error of an installed manifest, or null while it is being fetched. */
async function manifestOf({ proxy }: AttackedServer, token: string, id: number): Promise<unknown> {
  const { json } = await proxy.get(`/api/farmware_installations/${id}`, token);
  return at(json, 'package') ?? at(json, 'package_error') ?? null;
}

const ask = (context: AttackContext, from: string, token: string) =>
  context.attack(from, 'POST', '/api/ai', { token, body: { prompt: 'Water the plants', context_key: 'lua' } });

const ownIPv6 = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal, scopeid }) => family === 'IPv6' && !internal && !scopeid)?.address;

/** Hosts under which a program on this machine may be reached. */
const ownHosts: readonly string[] = [
  ...['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '0.0.0.0', '0', '127.0.0.2'],
  ...['localhost', 'localhost.', hostname(), ownAddress, `user:password@${ownAddress}`],
  ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', `[::ffff:${ownAddress}]`, '[64:ff9b::7f00:1]'],
  `[${ownIPv6 ?? '0:0::1'}]`,
];

/** Forgeries per host: a manifest and a photo, directly and after a redirect. */
const forgeriesPerHost = 4;

/** Misuse of requests of the server to other servers for its accounts. */
export const serviceAttempts: readonly Attempt[] = [
  {
    name: 'Have the server fetch its own addresses, directly, by name, and after redirects',
    property: 'Server-side requests',
    defense: 'refused before a connection is made',
    tries: always(ownHosts.length * forgeriesPerHost),
    async run(context) {
      const { server } = context;
      // A garden may have 60 fetches per minute.
      const tokens = [await server.createAccount('forger'), await server.createAccount('forger')].map(
        ({ token }) => token,
      );
      let hits = 0;
      const internal = createServer((_request, response) => {
        hits++;
        response.end('{"package":"Secret"}');
      });
      const outside = createServer((request, response) => {
        const location = decodeURIComponent(request.url?.slice(1) ?? '');
        response.writeHead(302, { location }).end();
      });
      try {
        const port = await listen(internal);
        const from = server.newAddress();
        const stranger = `http://${strangersHost}:${await listen(outside, strangersHost)}`;
        for (const [index, host] of ownHosts.entries()) {
          const token = tokens[index % tokens.length] ?? '';
          const target = `http://${host}:${port}/manifest.json`;
          for (const url of [target, `${stranger}/${encodeURIComponent(target)}`]) {
            const installed = await install(context, from, token, url);
            // Hosts that are not valid in a URL are refused without a request.
            if (installed.status !== 200) expect([url, installed.status]).toEqual([url, 422]);
            else {
              const id = numberAt(installed.json, 'id');
              await expect.poll(() => manifestOf(server, token, id)).toMatch(/private|offline|Unknown error|opened/);
            }
            const body = { attachment_url: url };
            const { status } = await context.attack(from, 'POST', '/api/images', { token, body });
            expect([200, 422, 507]).toContain(status);
          }
        }
        // A photo that is uploaded later is processed later.
        const [token = ''] = tokens;
        const photo = await uploadPhoto(server.process.base, token, await solidColorPicture(9));
        await processedPhotoUrl(server.process.base, token, photo);
        expect(hits).toBe(0);
      } finally {
        close(internal);
        close(outside);
      }
    },
  },
  {
    name: "Delay others' farmware with manifests at addresses that never respond",
    property: 'Server-side requests',
    defense: 'each person has their turn, with all gardens; 422 beyond 20 waiting ones of a garden',
    tries: { short: 75, full: 150 },
    async run(context) {
      const { server, honest, tries } = context;
      const { token } = await server.createAccount('silent');
      const tokens = [token, ...(await createGardens(context, token, 2))];
      let held = 0;
      const silent = createServer((request, response) => {
        held++;
        if (request.url === '/good.json') response.end('{"package":"Good"}');
      });
      try {
        const url = `http://${strangersHost}:${await listen(silent, strangersHost)}`;
        const from = server.newAddress();
        await install(context, from, token, `${url}/first.json`);
        await expect.poll(() => held).toBe(1);
        for (let i = 1; i < tries; i++)
          await install(context, from, tokens[i % tokens.length] ?? token, `${url}/${i}.json`);
        expect(context.count(200)).toBe(20 * tokens.length);
        expect(context.count(422)).toBe(tries - context.count(200));
        const body = { url: `${url}/good.json` };
        const theirs = honest.account.token;
        const { json } = await server.send(honest.address, 'POST', '/api/farmware_installations', {
          token: theirs,
          body,
        });
        await expect.poll(() => manifestOf(server, theirs, numberAt(json, 'id'))).toBe('Good');
        expect(held).toBe(2);
      } finally {
        close(silent);
      }
    },
  },
  {
    name: "Spend the operator's language model as a demo account, and without end",
    property: 'Language model',
    defense: '403 for demo accounts, and beyond the limits of an account and of the server',
    tries: { short: 8, full: 40 },
    async run(context) {
      const { server, tries } = context;
      const demo = await server.createDemoAccount();
      for (let i = 0; i < 2; i++) expect((await ask(context, server.newAddress(), demo)).status).toBe(403);
      const { token } = await server.attacker();
      const from = server.newAddress();
      for (let i = 2; i < tries; i++) await ask(context, from, token);
      // Without a language model, a question counts and fails.
      context.expectLimit(context.count(422), 4, day);
      expect(context.count(403)).toBe(tries - context.count(422));
    },
  },
  {
    name: 'Import, fetch addresses and send mail with a demo account',
    property: 'Demo accounts',
    defense: '422 for imports, no request to the address, no mail to the operator',
    tries: always(4),
    async run(context) {
      const { server } = context;
      const token = await server.createDemoAccount();
      const from = server.newAddress();
      let hits = 0;
      const outside = createServer((_request, response) => {
        hits++;
        response.end('{"package":"Good"}');
      });
      try {
        const url = `http://${strangersHost}:${await listen(outside, strangersHost)}/x.json`;
        expect((await context.attack(from, 'POST', '/api/import', { token, body: {} })).status).toBe(422);
        const { json } = await install(context, from, token, url);
        await expect.poll(() => manifestOf(server, token, numberAt(json, 'id'))).toMatch(/Demo accounts/);
        await context.attack(from, 'POST', '/api/images', { token, body: { attachment_url: url } });
        const body = { message: 'Buy my seeds', slug: null };
        await context.attack(from, 'POST', '/api/feedback', { token, body });
        const photo = await uploadPhoto(server.process.base, token, await solidColorPicture(9));
        await processedPhotoUrl(server.process.base, token, photo);
        expect(hits).toBe(0);
        expect(await server.process.outbox.mailsTo('operator@example.com')).toEqual([]);
      } finally {
        close(outside);
      }
    },
  },
];
