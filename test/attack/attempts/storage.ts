import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { numberAt, textAt } from '../../support/json.ts';
import { picture } from '../../support/pictures.ts';
import type { AttackContext } from '../attack-context.ts';
import type { AttackedAccount, AttackedServer } from '../attacked-server.ts';
import { robotAgent } from '../attacked-server.ts';
import type { Attempt } from '../attempt.ts';
import { always, hour } from '../attempt.ts';
import { RawConnection, requestHead, uploadBeginning, uploadEnd, uploadType } from '../raw-connection.ts';

const mebibyte = 1024 * 1024;
const unknownKey = 'temp/00000000-0000-4000-8000-000000000000.jpg';

/** Names of unfinished uploads. */
const incoming = ({ process }: AttackedServer): string[] => {
  try {
    return readdirSync(join(process.dataDir, 'photos', 'incoming'));
  } catch {
    return [];
  }
};

async function uploadKey(server: AttackedServer, { token }: AttackedAccount): Promise<string> {
  return textAt((await server.proxy.get('/api/storage_auth', token)).json, 'form_data.key');
}

async function usage({ proxy }: AttackedServer, token: string, quota: string): Promise<number> {
  return numberAt((await proxy.get('/api/usage', token)).json, `${quota}.used`);
}

/** Begins an upload of a mebibyte and returns the connection. */
async function beginUpload({ server }: AttackContext, from: string, form: Buffer): Promise<RawConnection> {
  const connection = await RawConnection.open(server.process.port);
  const headers = { 'content-type': uploadType, 'content-length': mebibyte };
  connection.write(requestHead(from, 'POST /direct_upload', headers));
  connection.write(form);
  return connection;
}

/** Filling the disk and the places for work in progress. */
export const storageAttempts: readonly Attempt[] = [
  {
    name: 'Store bytes with uploads without a valid key',
    property: 'Uploads',
    defense: '401, the connection is closed, and no byte is stored',
    tries: { short: 12, full: 600 },
    async run(context) {
      const { server, honest, tries } = context;
      const key = await uploadKey(server, honest.account);
      const forms = [
        {},
        { key: '' },
        { key: unknownKey },
        { key: `../../${key}` },
        { signature: 'none', key: key.replace('temp', 'photos') },
        { key, signature: 'forged' },
      ].map((fields) => uploadBeginning(fields, Buffer.alloc(100_000)));
      const connections: RawConnection[] = [];
      for (let i = 0; i < tries; i++) {
        const connection = await beginUpload(context, server.newAddress(), forms[i % forms.length] ?? Buffer.alloc(0));
        connections.push(connection);
        await connection.answered();
        expect(incoming(server)).toEqual([]);
      }
      for (const connection of connections) {
        await connection.closed();
        context.record(connection.status ?? 'closed');
      }
      expect(context.count(401)).toBe(tries);
    },
  },
  {
    name: 'Fill the disk with photos of one account',
    property: 'Quotas',
    defense: '507 beyond the quota',
    tries: { short: 12, full: 60 },
    async run(context) {
      const { server, tries } = context;
      const { token } = await server.createAccount('full');
      const from = server.newAddress();
      const photo = await picture(640, 480);
      for (let i = 0; i < tries; i++) {
        const permission = await server.send(from, 'GET', '/api/storage_auth', { token });
        if (permission.status !== 200) {
          context.record(permission.status);
          continue;
        }
        const key = textAt(permission.json, 'form_data.key');
        const raw = Buffer.concat([uploadBeginning({ key }, photo), uploadEnd]);
        await context.attack(from, 'POST', '/direct_upload', { raw, headers: { 'content-type': uploadType } });
      }
      expect(context.count(200)).toBeGreaterThan(0);
      expect(context.count(507)).toBe(tries - context.count(200));
      expect(context.count(507)).toBeGreaterThan(0);
      const limit = numberAt((await server.proxy.get('/api/usage', token)).json, 'photo_bytes.limit');
      expect(await usage(server, token, 'photo_bytes')).toBeLessThanOrEqual(limit + photo.length);
    },
  },
  {
    name: 'Occupy the server with uploads that stall',
    property: 'Quotas',
    defense: '422 beyond 20 uploads at the same time; other accounts have their own',
    tries: always(24),
    async run(context) {
      const { server, honest, tries } = context;
      const account = await server.attacker();
      const key = await uploadKey(server, account);
      const from = server.newAddress();
      const connections: RawConnection[] = [];
      try {
        for (let i = 0; i < tries; i++)
          connections.push(await beginUpload(context, from, uploadBeginning({ key }, 'the beginning')));
        await expect.poll(() => connections.filter(({ status }) => status === 422)).toHaveLength(tries - 20);
        expect(await usage(server, account.token, 'uploads_in_flight')).toBe(20);
        const theirs = { key: await uploadKey(server, honest.account) };
        const raw = Buffer.concat([uploadBeginning(theirs, await picture(32, 32)), uploadEnd]);
        const uploaded = await server.send(honest.address, 'POST', '/direct_upload', {
          raw,
          headers: { 'content-type': uploadType },
        });
        expect(uploaded.status).toBe(200);
        for (const { status } of connections) context.record(status ?? 'held');
      } finally {
        for (const connection of connections) connection.end();
      }
      await expect.poll(() => usage(server, account.token, 'uploads_in_flight')).toBe(0);
    },
  },
  {
    name: 'Hold an upload open with a byte every two seconds',
    property: 'Uploads',
    defense: 'the connection is closed after 60 seconds, and no file is left',
    tries: { short: 0, full: 20 },
    async run(context) {
      const { server, tries } = context;
      const account = await server.createAccount('slow');
      const key = await uploadKey(server, account);
      const connections: RawConnection[] = [];
      for (let i = 0; i < tries; i++)
        connections.push(await beginUpload(context, server.newAddress(), uploadBeginning({ key }, 'the beginning')));
      const timer = setInterval(() => {
        for (const connection of connections) connection.write('x');
      }, 2000);
      try {
        for (const connection of connections) {
          await connection.closed(120_000);
          context.record(connection.status ?? 'closed');
        }
      } finally {
        clearInterval(timer);
      }
      await expect.poll(() => incoming(server)).toEqual([]);
    },
  },
  {
    name: 'Import several files into an account at the same time',
    property: 'Quotas',
    defense: '422 beyond one, before the bytes are received',
    tries: always(6),
    async run(context) {
      const { server, tries } = context;
      const { token } = await server.attacker();
      const from = server.newAddress();
      const first = await RawConnection.open(server.process.port);
      const headers = { authorization: token, 'content-type': 'application/json', 'content-length': 50_000 };
      first.write(`${requestHead(from, 'POST /api/import', headers)}{"`);
      await expect.poll(() => usage(server, token, 'imports_in_flight')).toBe(1);
      for (let i = 0; i < tries; i++) {
        const response = await context.attack(from, 'POST', '/api/import', { token, body: {} });
        expect([response.status, textAt(response.json, 'error')]).toEqual([
          422,
          expect.stringContaining('Another import'),
        ]);
      }
      first.end();
      await expect.poll(() => usage(server, token, 'imports_in_flight')).toBe(0);
    },
  },
  {
    name: 'Export an account without end',
    property: 'Quotas',
    defense: '422 after 30 exports within an hour',
    tries: { short: 33, full: 120 },
    async run(context) {
      const { server, tries } = context;
      const { token } = await server.attacker();
      const from = server.newAddress();
      for (let i = 0; i < tries; i++) await context.attack(from, 'POST', '/api/export_data', { token });
      context.expectLimit(context.count(200), 30, hour);
      expect(context.count(200) + context.count(422)).toBe(tries);
    },
  },
  {
    name: 'Open sessions without end with a stolen one',
    property: 'Quotas',
    defense: '422 beyond the quota; the owner and the robot still sign in',
    tries: { short: 24, full: 200 },
    async run(context) {
      const { server, tries } = context;
      const account = await server.createAccount('sessions');
      const from = server.newAddress();
      const browser = { 'user-agent': 'Mozilla/5.0' };
      const signedIn = await server.signIn(from, account.email, account.password, browser);
      const token = textAt(signedIn.json, 'token.encoded');
      for (let i = 0; i < tries; i++) await context.attack(from, 'GET', '/api/tokens', { token });
      // One session was there before.
      expect([context.count(200), context.count(422)]).toEqual([19, tries - 19]);
      for (const headers of [browser, robotAgent]) {
        const owner = await server.signIn(server.newAddress(), account.email, account.password, headers);
        expect(owner.status).toBe(200);
      }
    },
  },
];
