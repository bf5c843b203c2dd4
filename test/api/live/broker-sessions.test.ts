import { beforeAll, expect, it } from 'vitest';
import {
  brokerSessions,
  deleteSessions,
  isForeignClientId,
  rememberSession,
  sessionsOf,
} from '../../../src/live/rabbitmq/broker-sessions.ts';
import { suiteApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';

describeEngines('sign-ins at RabbitMQ', (engine) => {
  const app = suiteApp(engine);
  let ada: number;
  let bob: number;

  beforeAll(async () => {
    ada = (await app.signUp()).deviceId;
    bob = (await app.signUp()).deviceId;
  });

  const remember = (deviceId: number, clientId: string, jti: string) =>
    rememberSession(app.app.server(), { deviceId, clientId, jti });
  const scopeOf = (deviceId: number) => app.app.server().device(deviceId);

  it('stores the last token of each client', async () => {
    expect(await remember(ada, 'FBJS-1', 'first')).toBe(true);
    expect(await remember(ada, 'FBJS-2', 'first')).toBe(true);
    expect(await remember(ada, 'FBJS-1', 'second')).toBe(true);
    expect(await sessionsOf(scopeOf(ada))).toEqual(
      new Map([
        ['FBJS-2', 'first'],
        ['FBJS-1', 'second'],
      ]),
    );
    expect(await sessionsOf(scopeOf(bob))).toEqual(new Map());
  });

  it('rejects the client id of another device', async () => {
    expect(await remember(bob, 'FBJS-1', 'bobs')).toBe(false);
    expect(await remember(bob, `device_${ada}_17.1.2`, 'bobs')).toBe(false);
    expect(await remember(bob, `device_${bob}_17.1.2`, 'bobs')).toBe(true);
    expect(await remember(bob, 'x'.repeat(201), 'bobs')).toBe(false);
    expect(await sessionsOf(scopeOf(bob))).toEqual(new Map([[`device_${bob}_17.1.2`, 'bobs']]));
  });

  it('accepts concurrent sign-ins of a client', async () => {
    const results = await Promise.all([1, 2, 3, 4].map((i) => remember(ada, 'at-once', `token ${i}`)));
    expect(results).toEqual([true, true, true, true]);
  });

  it('deletes revoked tokens, and all but the newest 200 sign-ins', async () => {
    await deleteSessions(scopeOf(ada), ['first', 'none']);
    expect([...(await sessionsOf(scopeOf(ada))).keys()]).toEqual(['FBJS-1', 'at-once']);
    await deleteSessions(scopeOf(ada), []);
    for (let i = 0; i < 205; i++) await remember(ada, `page ${i}`, 'many');
    expect(await app.app.server().count(brokerSessions, { where: { device_id: ada } })).toBe(200);
    const kept = await sessionsOf(scopeOf(ada));
    expect([kept.has('FBJS-1'), kept.has('page 0'), kept.has('page 204')]).toEqual([false, false, true]);
  });

  it.each([
    [5, 'device_5_17.1.2', false],
    [5, 'device_5', false],
    [5, 'device_50_17.1.2', true],
    [50, 'device_5_17.1.2', true],
    [5, 'device_05', true],
    [5, 'FBJS-15.8.4-device_6', false],
    [5, '', false],
  ])('device %i with the client id %s', (deviceId, clientId, isForeign) => {
    expect(isForeignClientId(deviceId, clientId)).toBe(isForeign);
  });
});
