import { expect } from 'vitest';
import { uniqueEmail } from '../../support/accounts.ts';
import type { HttpResponse } from '../../support/http-client.ts';
import { AttackedServer } from '../attacked-server.ts';
import type { Attempt } from '../attempt.ts';
import { always, hour, minute } from '../attempt.ts';

const password = 'password of a stranger';
const signUpBody = (email: string) => ({
  name: 'Stranger',
  email,
  password,
  password_confirmation: password,
  agree_to_terms: true,
});

/** Sign-ins of a network that are sent at the same time: more passwords than it may have checked. */
const wave = 60;
/** Of about 31 checked passwords, the number that may end before a sign-in of another network that was sent while all of them waited. */
const maxOvertaking = 15;

/** Floods of requests without a session. */
export const floodAttempts: readonly Attempt[] = [
  {
    name: 'Make others wait with a flood of sign-ins from one network',
    property: 'Guessing passwords',
    defense: '30 passwords are checked, then 429; another network has its turn next',
    tries: { short: 60, full: 600 },
    async run(context) {
      const { server, honest, tries } = context;
      const stranger = server.newAddress();
      const guess = (_: unknown, i: number) => {
        const user = { email: `nobody${i}@example.com`, password };
        return context.attack(stranger, 'POST', '/api/tokens', { body: { user } });
      };
      const flood = Array.from({ length: wave }, guess);
      await Promise.race(flood);
      const before = context.count(422);
      expect(await honest.signIn()).toBe(200);
      expect(context.count(422) - before).toBeLessThanOrEqual(maxOvertaking);
      await Promise.all(flood);
      for (let sent = wave; sent < tries; sent += wave) await Promise.all(Array.from({ length: wave }, guess));
      expect(context.count(422) + context.count(429)).toBe(tries);
      // And one after each pause.
      expect(context.count(422)).toBeLessThanOrEqual(40);
    },
  },
  {
    name: 'Flood the server with accounts from one network',
    property: 'Limits',
    defense: '429 after ten sign-ups within an hour',
    tries: { short: 13, full: 100 },
    async run(context) {
      const { server, tries } = context;
      const stranger = server.newAddress();
      for (let i = 0; i < tries; i++)
        await context.attack(stranger, 'POST', '/api/users', { body: signUpBody(uniqueEmail('flood')) });
      context.expectOnly(10, hour);
    },
  },
  {
    name: 'Flood one mailbox with mails, with dots, tags and capitals in its address, from many networks',
    property: 'Mail to strangers',
    defense: '429 after three mails within an hour',
    tries: { short: 9, full: 90 },
    async run(context) {
      const { server, tries } = context;
      const [name = '', domain = ''] = uniqueEmail('victim').split('@');
      const mailbox = name.replaceAll('.', '');
      const addresses = Array.from({ length: tries }, (_, i) => {
        const dotted = `${mailbox.slice(0, 1 + (i % 5))}.${mailbox.slice(1 + (i % 5))}`;
        return `${i % 2 === 0 ? dotted : mailbox.toUpperCase()}+${i}@${domain}`;
      });
      for (const email of addresses)
        await context.attack(server.newAddress(), 'POST', '/api/users', { body: signUpBody(email) });
      context.expectOnly(3, hour);
      for (const email of addresses.slice(0, 3)) await server.process.outbox.mailTo(email);
      const sent = await Promise.all(addresses.map((email) => server.process.outbox.mailsTo(email)));
      expect(sent.flat()).toHaveLength(context.count(200));
    },
  },
  {
    name: 'Find out which addresses have accounts that are not confirmed',
    property: 'Mail to strangers',
    defense: '429 after 30 requests within an hour',
    tries: { short: 40, full: 300 },
    async run(context) {
      const { server, tries } = context;
      const stranger = server.newAddress();
      for (let i = 0; i < tries; i++) {
        const body = { email: `person${i}@example.com` };
        await context.attack(stranger, 'POST', '/api/users/resend_verification', { body });
      }
      context.expectLimit(tries - context.count(429), 30, hour);
    },
  },
  {
    name: 'Evade the limits with a new network of an IPv6 site for each request',
    property: 'Limits',
    defense: '429 beyond 16 times the limit of a network',
    tries: { short: 500, full: 3000 },
    async run(context) {
      const { tries } = context;
      for (let i = 0; i < tries; i++) {
        const body = { email: `someone${i}@example.com` };
        const stranger = `2001:db8:5:${i.toString(16)}::1`;
        await context.attack(stranger, 'POST', '/api/users/resend_verification', { body });
      }
      context.expectLimit(tries - context.count(429), 16 * 30, hour);
    },
  },
  {
    name: 'Guess a password and flood mailboxes through a proxy on the same machine, whose address TRUST_PROXY does not name',
    property: 'Limits',
    defense:
      '429 from the 12th password and the 31st mail: its clients together have the limits of one; the log and `potager doctor` name the setting',
    tries: always(80),
    async run(context) {
      const server = await AttackedServer.start('sqlite', { TRUST_PROXY: 'off' });
      try {
        const { email, password } = await server.createAccount('exposed');
        expect(server.process.logs()).not.toContain('TRUST_PROXY');
        const statuses = async (count: number, send: (index: number) => Promise<HttpResponse>) => {
          const found: number[] = [];
          for (let i = 0; i < count; i++) found.push((await send(i)).status);
          for (const status of found) context.record(status);
          return found;
        };
        const guessed = await statuses(40, (i) => server.signIn(server.newAddress(), email, `guess ${i}`));
        expect(guessed.indexOf(429)).toBe(11);
        expect((await server.signIn(server.newAddress(), email, password)).status).toBe(429);
        expect((await server.proxy.send('POST', '/api/tokens', { body: { user: { email, password } } })).status).toBe(
          200,
        );
        const mailed = await statuses(40, (i) =>
          server.send(server.newAddress(), 'POST', '/api/password_resets', {
            body: { email: `reset${i}@example.com` },
          }),
        );
        context.expectLimit(mailed.filter((status) => status !== 429).length, 30, hour);
        expect(server.process.logs().match(/"setting":"TRUST_PROXY"/g)).toHaveLength(1);
        const { code, stdout } = await server.process.run(['doctor']);
        expect([code, stdout]).toEqual([1, expect.stringContaining('set TRUST_PROXY=127.0.0.1')]);
      } finally {
        await server.remove();
      }
    },
  },
  {
    name: 'Create demo accounts without end from one network',
    property: 'Limits',
    defense: '429 after ten within an hour',
    tries: { short: 13, full: 60 },
    async run(context) {
      const { server, tries } = context;
      const stranger = server.newAddress();
      for (let i = 0; i < tries; i++) {
        const body = { secret: `a secret of a stranger ${i}`, product_line: 'none' };
        await context.attack(stranger, 'POST', '/api/demo_account', { body });
      }
      context.expectOnly(10, hour);
    },
  },
  {
    name: 'Flood the server with requests that claim changing addresses',
    property: 'Limits',
    defense: '429 after 1,000 requests within a minute: only the entry of the trusted proxy counts',
    tries: { short: 1200, full: 10_000 },
    async run(context) {
      const { server, tries } = context;
      const stranger = server.newAddress();
      const headers = (i: number) => ({
        'x-forwarded-for': `127.0.0.1, 10.0.${i >> 8}.${i & 255}, ${stranger}`,
        'x-real-ip': '127.0.0.1',
        forwarded: 'for=127.0.0.1',
      });
      const send = async (worker: number): Promise<void> => {
        for (let i = worker; i < tries; i += 20)
          await context.attack(stranger, 'GET', '/api/public_key', { headers: headers(i) });
      };
      await Promise.all(Array.from({ length: 20 }, (_, worker) => send(worker)));
      context.expectOnly(1000, minute);
    },
  },
];
