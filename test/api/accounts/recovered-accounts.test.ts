import { join as pathOf } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import type { Account, TestResponse } from '../../support/app.ts';
import { password, suiteApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import { caller } from '../../support/members.ts';
import { Outbox } from '../../support/outbox.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const newPassword = 'a rake in the shed';

const last = (link: unknown): string => String(link).split('/').at(-1) ?? '';

describeEngines('an account that its owner recovers', (engine) => {
  const clock = { time: Date.now(), now: () => clock.time };
  const server = suiteApp(engine, {}, { now: clock.now });
  const call = caller(server);
  let outbox: Outbox;
  beforeAll(() => {
    outbox = new Outbox(pathOf(server.settings.DATA_DIR, 'outbox'));
  });

  const linkTo = async (email: string, kind: string): Promise<string> => {
    await server.app.runJobs();
    return last((await outbox.linkTo(email, kind)).pathname);
  };
  const setPassword = (id: string): Promise<TestResponse> =>
    server.call('PUT', '/api/password_resets', {
      body: { id, password: newPassword, password_confirmation: newPassword },
    });
  /** The records that an attacker creates with the session of a person: in the home garden, and in another garden of that person. */
  async function prepareAttack(owner: Account) {
    const garden = (await call(owner, 'POST', '/api/gardens', { name: 'Greenhouse' })).json.id;
    const inGarden = { token: (await call(owner, 'POST', `/api/gardens/${garden}/token`)).json.token.encoded };
    const accomplice = await server.signUp();
    const credentials = [];
    for (const session of [owner, inGarden]) {
      const feed = new URL((await call(session, 'POST', '/api/calendar_feed')).json.url).pathname;
      const url = 'https://thief.example/garden';
      const webhook = await call(session, 'POST', '/api/webhooks', { url, resources: null });
      expect(webhook.status, webhook.text).toBe(200);
      const rule = await call(session, 'POST', '/api/notification_rules', {
        way: 'ntfy',
        kinds: ['error'],
        address: url,
      });
      expect(rule.status, rule.text).toBe(200);
      const invitation = await call(session, 'POST', '/api/invitations', { email: accomplice.email, role: 'owner' });
      expect((await server.call('GET', feed)).status).toBe(200);
      credentials.push({ feed, webhook: webhook.json.id, invitation: last(invitation.json.link) });
    }
    return { garden, accomplice, credentials };
  }

  it('leaves an attacker no invitation, calendar feed, rule of notifications or active webhook after a new password by a link', async () => {
    for (const way of ['password_reset', 'take_back'] as const) {
      const owner = await server.signUp();
      const other = await server.signUp();
      const othersFeed = new URL((await call(other, 'POST', '/api/calendar_feed')).json.url).pathname;
      const { garden, accomplice, credentials } = await prepareAttack(owner);
      if (way === 'take_back') await call(owner, 'PATCH', '/api/users', { email: `thief.of.${owner.email}` });
      else await server.call('POST', '/api/password_resets', { body: { email: owner.email } });
      const own = (await setPassword(await linkTo(owner.email, way))).json.token.encoded;
      const inGarden = (await call({ token: own }, 'POST', `/api/gardens/${garden}/token`)).json.token.encoded;
      for (const [index, { feed, webhook, invitation }] of credentials.entries()) {
        const session = { token: index === 0 ? own : inGarden };
        expect((await server.call('GET', feed)).status, way).toBe(404);
        expect((await call(session, 'GET', '/api/notification_rules')).json).toEqual([]);
        expect((await call(accomplice, 'POST', '/api/invitations/accept', { token: invitation })).status).toBe(404);
        expect((await call(session, 'GET', `/api/webhooks/${webhook}`)).json).toMatchObject({
          active: false,
          disabled_at: null,
          url: 'https://thief.example/garden',
        });
        const messages = (await call(session, 'GET', '/api/logs')).json.map((log: { message: string }) => log.message);
        expect(messages).toContainEqual(
          expect.stringMatching(/^The webhook to thief\.example was switched off, because/),
        );
        expect((await call(session, 'PATCH', `/api/webhooks/${webhook}`, { active: true })).json.active).toBe(true);
      }
      expect((await server.call('GET', othersFeed)).status).toBe(200);
    }
  });

  it('switches off a webhook of another owner whose address the attacker set', async () => {
    const owner = await server.signUp();
    const partner = await server.signUp();
    const invited = await call(owner, 'POST', '/api/invitations', { email: partner.email, role: 'owner' });
    const accepted = await call(partner, 'POST', '/api/invitations/accept', { token: last(invited.json.link) });
    const session = { token: accepted.json.token.encoded };
    const make = async (url: string) =>
      (await call(session, 'POST', '/api/webhooks', { url, resources: null })).json.id;
    const [kept, moved] = [await make('https://kept.example'), await make('https://moved.example')];
    await call(owner, 'PATCH', `/api/webhooks/${moved}`, { url: 'https://thief.example' });
    await call(owner, 'PATCH', `/api/webhooks/${kept}`, { description: 'Screen' });
    await server.call('POST', '/api/password_resets', { body: { email: owner.email } });
    expect((await setPassword(await linkTo(owner.email, 'password_reset'))).status).toBe(200);
    expect((await call(session, 'GET', `/api/webhooks/${moved}`)).json.active).toBe(false);
    expect((await call(session, 'GET', `/api/webhooks/${kept}`)).json.active).toBe(true);
  });

  it('has its owners notified of each person who joins, without a link', async () => {
    const [owner, bob, eve] = [await server.signUp(), await server.signUp(), await server.signUp()];
    const add = async (person: Account, role: string): Promise<void> => {
      const invited = await call(owner, 'POST', '/api/invitations', { email: person.email, role });
      const token = last(invited.json.link);
      expect((await call(person, 'POST', '/api/invitations/accept', { token })).status).toBe(200);
      await server.app.runJobs();
    };
    const joined = async (to: Account) =>
      (await outbox.mailsTo(to.email)).filter(({ text }) => text.includes('accepted an invitation'));
    await add(bob, 'owner');
    const [first] = await joined(owner);
    expect(first?.text).toContain(
      `Gardener (${bob.email}) accepted an invitation to the garden “FarmBot” and is an owner`,
    );
    expect(first?.text).toContain('remove the person');
    expect(first?.text).not.toMatch(/https?:/);
    await add(eve, 'viewer');
    // With no more rights than before, nothing is reported.
    await add(bob, 'viewer');
    for (const person of [owner, bob]) expect((await joined(person)).at(-1)?.text).toContain(`(${eve.email})`);
    expect([(await joined(owner)).length, (await joined(bob)).length, (await joined(eve)).length]).toEqual([2, 1, 0]);
  });

  it('cannot be deleted while its former address can take a change back, except by the operator', async () => {
    const owner = await server.signUp();
    const thief = `new.${owner.email}`;
    expect((await call(owner, 'PATCH', '/api/users', { email: thief })).json.email).toBe(thief);
    const takeBack = await linkTo(owner.email, 'take_back');
    await server.call('POST', '/api/password_resets', { body: { email: thief } });
    const stolen = (await setPassword(await linkTo(thief, 'password_reset'))).json.token.encoded;
    const refused = await call({ token: stolen }, 'DELETE', '/api/users', { password: newPassword });
    const until = new Date(clock.time + 7 * day).toISOString().slice(0, 16).replace('T', ' ');
    expect([refused.status, refused.json]).toEqual([422, { email: expect.stringContaining(`until ${until} UTC`) }]);
    const own = await setPassword(takeBack);
    expect([own.status, own.json.user.email]).toEqual([200, owner.email]);
    // Taken back, nothing is left to take back.
    const deletion = await call({ token: own.json.token.encoded }, 'DELETE', '/api/users', { password: newPassword });
    expect(deletion.status, deletion.text).toBe(200);

    const ada = await server.signUp();
    const changed = `new.${ada.email}`;
    await call(ada, 'PATCH', '/api/users', { email: changed });
    clock.time += 7 * day - minute;
    expect((await call(ada, 'DELETE', '/api/users', { password })).status).toBe(422);
    clock.time += minute;
    expect((await call(ada, 'DELETE', '/api/users', { password })).status).toBe(200);

    const bea = await server.signUp();
    await call(bea, 'PATCH', '/api/users', { email: `new.${bea.email}` });
    expect(await (await server.app.operations.users()).delete(`new.${bea.email}`)).toBe(true);
  });
});
