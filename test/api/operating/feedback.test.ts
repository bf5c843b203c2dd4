import { afterAll, beforeAll, expect, it } from 'vitest';
import { users } from '../../../src/accounts/users.ts';
import { feedbacks } from '../../../src/device/feedbacks.ts';
import type { OperationsBySubject } from '../../../src/operations.ts';
import type { Account, TestApp } from '../../support/app.ts';
import { startApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import { Outbox } from '../../support/outbox.ts';

describeEngines('feedback', (engine) => {
  let server: TestApp;
  let operations: OperationsBySubject['feedback'];
  let outbox: Outbox;
  let time = Date.parse('2026-11-22T09:00:00.000Z');

  beforeAll(async () => {
    const environment = { HOST: '127.0.0.1', PORT: '0', OPERATOR_EMAIL: 'operator@example.com' };
    server = await startApp(engine, environment, { now: () => time });
    await server.app.listen();
    operations = await server.app.operations.feedback();
    outbox = new Outbox(`${server.settings.DATA_DIR}/outbox`);
  });
  afterAll(() => server.close());

  const send = ({ token }: Account, body: object) => server.call('POST', '/api/feedback', { token, body });
  const stored = async ({ deviceId }: Account) =>
    (await operations.list()).filter(({ device_id }) => device_id === deviceId);

  it('is stored with its sender, mailed to the operator, and removed by the operator', async () => {
    const ada = await server.signUp();
    const reply = await send(ada, { message: 'The <map>\nis empty.', slug: 'menu' });
    expect([reply.status, reply.json]).toEqual([200, {}]);
    const [message] = await stored(ada);
    expect(message).toEqual({
      id: expect.any(Number),
      created_at: '2026-11-22T09:00:00.000Z',
      device_id: ada.deviceId,
      email: ada.email,
      slug: 'menu',
      message: 'The <map>\nis empty.',
    });
    const mail = await outbox.mailTo('operator@example.com', ({ text }) => text.includes(ada.email));
    expect(mail.subject).toBe(`Feedback from ${ada.email}`);
    expect(mail.text).toContain(`(device ${ada.deviceId}, menu) wrote:\n\nThe <map>\nis empty.\n`);
    expect(await operations.remove(message?.id ?? 0)).toBe(true);
    expect(await operations.remove(message?.id ?? 0)).toBe(false);
    expect(await stored(ada)).toEqual([]);
  });

  it('is not stored without a message', async () => {
    const ada = await server.signUp();
    for (const body of [{}, { message: null }, { slug: 'menu' }]) expect((await send(ada, body)).json).toEqual({});
    expect((await send(ada, { message: {} })).json).toEqual({ message: expect.any(String) });
    expect((await send(ada, { message: 'x'.repeat(10_001) })).status).toBe(422);
    expect(await stored(ada)).toEqual([]);
  });

  it('is limited to 10 messages a day and 100 that the operator has not removed', async () => {
    const ada = await server.signUp();
    const bert = await server.signUp();
    for (let count = 0; count < 10; count++) expect((await send(ada, { message: `No. ${count}` })).status).toBe(200);
    expect(await send(ada, { message: 'No. 10' })).toMatchObject({
      status: 422,
      json: { error: expect.stringMatching(/10 messages/) },
    });
    expect((await send(bert, { message: 'Hello' })).status).toBe(200);
    time += 25 * 3_600_000;
    const scope = server.app.server().device(ada.deviceId);
    const old = { user_id: ada.userId, message: 'Old', created_at: '2026-01-01T00:00:00.000Z' };
    await scope.insertAll(
      feedbacks,
      Array.from({ length: 89 }, () => old),
    );
    expect((await send(ada, { message: 'The last' })).status).toBe(200);
    expect(await send(ada, { message: 'One more' })).toMatchObject({
      status: 422,
      json: { error: expect.stringMatching(/100 messages/) },
    });
    expect(await stored(ada)).toHaveLength(100);
  });

  it('is rejected from demo accounts', async () => {
    const guest = await server.signUp();
    await server.app
      .server()
      .update(users, { email: `guest_${'a'.repeat(16)}@farmbot.guest` }, { where: { id: guest.userId } });
    expect(await send(guest, { message: 'Hello' })).toMatchObject({
      status: 422,
      json: { error: expect.stringMatching(/demo account/) },
    });
    expect(await stored(guest)).toEqual([]);
  });

  it('is deleted with the account', async () => {
    const ada = await server.signUp();
    await send(ada, { message: 'Goodbye' });
    const body = { password: 'password123' };
    expect((await server.call('DELETE', '/api/users', { token: ada.token, body })).status).toBe(200);
    await expect.poll(() => stored(ada)).toEqual([]);
  });
});
