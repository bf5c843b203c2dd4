import { expect } from 'vitest';
import { uniqueEmail } from '../../support/accounts.ts';
import type { Json } from '../../support/json.ts';
import { textAt } from '../../support/json.ts';
import type { AttackContext } from '../attack-context.ts';
import type { Attempt } from '../attempt.ts';
import { always, hour } from '../attempt.ts';

/** The password that owners set. */
export const newPassword = 'a rake in the shed';
const passwords = (password: string): Record<string, Json> => ({ password, password_confirmation: password });

/** Requests a password reset as the owner, and sets a new password with the link number `count` that she got. */
async function resetPassword({ server }: AttackContext, from: string, email: string, count = 1): Promise<void> {
  expect((await server.send(from, 'POST', '/api/password_resets', { body: { email } })).status).toBe(200);
  const body = { id: await server.linkToken(email, 'password_reset', count), ...passwords(newPassword) };
  expect((await server.send(from, 'PUT', '/api/password_resets', { body })).status).toBe(200);
}

/** Take-over of accounts. */
export const accountAttempts: readonly Attempt[] = [
  {
    name: "Change the e-mail address with a robot's session",
    property: 'E-mail addresses',
    defense: '403, also with the password, and no mail is sent',
    tries: always(4),
    async run(context) {
      const { server } = context;
      const owner = await server.createAccount('robbed');
      const thief = server.newAddress();
      const email = `thief.${owner.email}`;
      const stolen = await server.robotToken(owner);
      for (const body of [
        { email },
        { email, password: 'a guess' },
        { email, password: owner.password },
        { id: owner.userId, name: owner.name, email, password: '' },
      ]) {
        const response = await context.attack(thief, 'PATCH', '/api/users', { token: stolen, body });
        expect(response.status).toBe(403);
      }
      expect(await server.process.outbox.mailsTo(email)).toEqual([]);
    },
  },
  {
    name: "Keep an account with a fresh session after the owner's password reset",
    property: 'E-mail addresses',
    defense: 'the reset ends the link to the new address and all sessions',
    tries: always(6),
    async run(context) {
      const { server } = context;
      const owner = await server.createAccount('fresh');
      const thief = server.newAddress();
      const email = `thief.${owner.email}`;
      const { token } = owner;
      expect((await context.attack(thief, 'PATCH', '/api/users', { token, body: { email } })).status).toBe(200);
      const link = await server.linkToken(email, 'verify');
      await resetPassword(context, server.newAddress(), owner.email);
      expect((await context.attack(thief, 'GET', `/verify/${link}`)).status).toBe(404);
      for (const [method, path] of [
        ['GET', '/api/device'],
        ['GET', '/api/tokens'],
        ['PATCH', '/api/users'],
      ] as const) {
        const sending = { token, ...(method === 'PATCH' && { body: { email } }) };
        expect((await context.attack(thief, method, path, sending)).status).toBe(401);
      }
      const user = { email: owner.email, password: owner.password };
      expect((await context.attack(thief, 'POST', '/api/tokens', { body: { user } })).status).toBe(422);
      expect((await server.signIn(server.newAddress(), owner.email, newPassword)).status).toBe(200);
    },
  },
  {
    name: 'Confirm a stolen account immediately, and set another password',
    property: 'E-mail addresses',
    defense: 'the link in the notice to the old address takes all of it back',
    tries: always(6),
    async run(context) {
      const { server } = context;
      const owner = await server.createAccount('confirmed');
      const thief = server.newAddress();
      const email = `thief.${owner.email}`;
      const { token } = owner;
      await context.attack(thief, 'PATCH', '/api/users', { token, body: { email } });
      expect((await context.attack(thief, 'GET', `/verify/${await server.linkToken(email, 'verify')}`)).status).toBe(
        200,
      );
      await context.attack(thief, 'POST', '/api/password_resets', { body: { email } });
      const body = { id: await server.linkToken(email, 'password_reset'), ...passwords('password of an attacker') };
      const reset = await context.attack(thief, 'PUT', '/api/password_resets', { body });
      expect(reset.status).toBe(200);
      const id = await server.linkToken(owner.email, 'take_back');
      const takeBack = { body: { id, ...passwords(newPassword) } };
      expect((await server.send(server.newAddress(), 'PUT', '/api/password_resets', takeBack)).status).toBe(200);
      const session = textAt(reset.json, 'token.encoded');
      expect((await context.attack(thief, 'GET', '/api/device', { token: session })).status).toBe(401);
      const user = { email, password: 'password of an attacker' };
      expect((await context.attack(thief, 'POST', '/api/tokens', { body: { user } })).status).toBe(422);
      expect((await server.signIn(server.newAddress(), owner.email, newPassword)).status).toBe(200);
    },
  },
  {
    name: 'Use old links for a password reset',
    property: 'Passwords',
    defense: '422 or 401 after a newer link was used',
    tries: always(6),
    async run(context) {
      const { server } = context;
      const { email } = await server.createAccount('links');
      const owner = server.newAddress();
      for (let i = 0; i < 2; i++) await server.send(owner, 'POST', '/api/password_resets', { body: { email } });
      await resetPassword(context, owner, email, 3);
      const thief = server.newAddress();
      const links = [];
      for (const count of [1, 2, 3]) links.push(await server.linkToken(email, 'password_reset', count));
      const [link = ''] = links;
      for (const id of [...links, `${link.slice(0, -9)}AAAAAAAAA`]) {
        const { status } = await context.attack(thief, 'PUT', '/api/password_resets', {
          body: { id, ...passwords('password of an attacker') },
        });
        expect([401, 422]).toContain(status);
      }
      expect((await context.attack(thief, 'GET', '/api/device', { token: link })).status).toBe(401);
      expect((await context.attack(thief, 'GET', `/verify/${link}`)).status).toBe(404);
      expect((await server.signIn(owner, email, newPassword)).status).toBe(200);
    },
  },
  {
    name: 'Sign up with the address of another person, who uses it later',
    property: 'Mail to strangers',
    defense: "the owner of the address sets a password with a link, which ends the stranger's",
    tries: always(3),
    async run(context) {
      const { server } = context;
      const email = uniqueEmail('owner');
      const [stranger, owner] = [server.newAddress(), server.newAddress()];
      const password = 'password of a stranger';
      const body = { name: 'Stranger', email, ...passwords(password), agree_to_terms: true };
      expect((await context.attack(stranger, 'POST', '/api/users', { body })).status).toBe(200);
      expect((await server.send(owner, 'POST', '/api/users', { body })).status).toBe(422);
      await server.send(owner, 'POST', '/api/password_resets', { body: { email } });
      const id = await server.linkToken(email, 'password_reset');
      const reset = await server.send(owner, 'PUT', '/api/password_resets', {
        body: { id, ...passwords(newPassword) },
      });
      // The new password is set, but the address has to be confirmed.
      expect(reset.status).toBe(403);
      const user = { email, password };
      expect((await context.attack(stranger, 'POST', '/api/tokens', { body: { user } })).status).toBe(403);
      const confirmed = await server.send(owner, 'GET', `/verify/${await server.linkToken(email, 'verify')}`);
      expect(confirmed.status).toBe(200);
      expect((await context.attack(stranger, 'POST', '/api/tokens', { body: { user } })).status).toBe(422);
      expect((await server.signIn(owner, email, newPassword)).status).toBe(200);
    },
  },
  {
    name: "Use up an owner's password resets, from many networks",
    property: 'Mail to strangers',
    defense: 'at most ten mails; each link in them works, and the owner may still ask',
    tries: { short: 36, full: 600 },
    async run(context) {
      const { server, tries } = context;
      const { email } = await server.createAccount('resets');
      let stranger = '';
      for (let i = 0; i < tries; i++) {
        if (i % 3 === 0) stranger = server.newAddress();
        await context.attack(stranger, 'POST', '/api/password_resets', { body: { email } });
      }
      await resetPassword(context, server.newAddress(), email, 10);
      const { outbox } = server.process;
      const resets = (await outbox.mailsTo(email)).filter(({ text }) => text.includes('/password_reset/'));
      context.expectLimit(resets.length, 10, hour);
    },
  },
  {
    name: 'Lock an owner out with wrong passwords, from many networks',
    property: 'Guessing passwords',
    defense: '429 for strangers; the owner signs in from a network that is known',
    tries: { short: 30, full: 300 },
    async run(context) {
      const { server, honest, tries } = context;
      for (let i = 0; i < tries; i++) {
        const user = { email: honest.account.email, password: `guess ${i}` };
        await context.attack(server.newAddress(), 'POST', '/api/tokens', { body: { user } });
      }
      // Ten without a pause, and one after each pause.
      expect(context.count(422)).toBeLessThanOrEqual(20);
      expect(context.count(422) + context.count(429)).toBe(tries);
      expect(await honest.signIn()).toBe(200);
      expect(await server.robotToken(honest.account)).not.toBe('');
    },
  },
];
