import { beforeEach, expect, it } from 'vitest';
import type { Account } from '../../test/support/app.ts';
import { suiteApp } from '../../test/support/app.ts';
import { describeEngines } from '../../test/support/engines.ts';
import { timestamp } from '../core/clock.ts';
import type { DeviceScope } from '../db/scope.ts';
import { devices, ownDevice } from './devices.ts';
import { deleteSurplusLogs, newestLogs } from './log-retention.ts';
import type { LogType } from './logs.ts';
import { logs } from './logs.ts';

const day = 86_400_000;

describeEngines('the logs that a device keeps', (engine) => {
  const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
  const server = suiteApp(engine, {}, clock);
  let owner: Account;
  let scope: DeviceScope;
  beforeEach(async () => {
    clock.ahead = 0;
    owner = await server.signUp();
    scope = server.app.server().device(owner.deviceId);
  });

  const call = async (path: string) => (await server.call('GET', path, { token: owner.token })).json;
  const messages = async (path = '/api/logs') => (await call(path)).map(({ message }: { message: string }) => message);
  const post = (body: object) => server.call('POST', '/api/logs', { token: owner.token, body });
  const stored = async () => (await scope.rows(logs)).map(({ message }) => message);
  const store = (type: LogType, ...all: string[]) =>
    scope.insertAll(
      logs,
      all.map((message) => ({ message, type, verbosity: type === 'info' ? 3 : 1, channels: [] })),
    );
  const numbered = (word: string, count: number) => Array.from({ length: count }, (_, index) => `${word} ${index + 1}`);
  const trim = async () => deleteSurplusLogs(scope, await ownDevice(scope), clock.now());

  it('are listed in the order of their receipt, with the times that were sent', async () => {
    const now = Math.floor(Date.now() / 1000);
    const sent = [now + 365 * 86_400, now, 1_577_836_800, 5, 0, -62_135_596_800, 253_402_300_799];
    for (const [index, created_at] of sent.entries()) await post({ message: `log ${index}`, created_at });
    const listed = (await call('/api/logs')) as { message: string; created_at: number }[];
    expect(listed.map(({ message }) => message)).toEqual(numbered('log', 7).map((_, index) => `log ${6 - index}`));
    expect(listed.map(({ created_at }) => created_at)).toEqual([...sent].reverse());
    expect(await messages('/api/logs/search')).toEqual(await messages());
    await trim();
    expect(await stored()).toHaveLength(7);
  });

  it('are the last received ones, also after a thousand with later times', async () => {
    await scope.update(devices, { max_log_count: 10 }, {});
    const ahead = timestamp(Date.now() + 365 * day);
    await scope.insertAll(
      logs,
      numbered('ahead', 1000).map((message) => ({
        message,
        type: 'info' as const,
        verbosity: 1,
        channels: [],
        created_at: ahead,
      })),
    );
    await store('info', ...numbered('right', 8));
    const kept = ['right 8', 'right 7', 'right 6', 'right 5', 'right 4', 'right 3', 'right 2', 'right 1'];
    expect(await messages()).toEqual([...kept, 'ahead 1000', 'ahead 999']);
    await trim();
    expect((await stored()).reverse()).toEqual([...kept, 'ahead 1000', 'ahead 999']);
  });

  it('are not older than the age that is set, by their receipt', async () => {
    await post({ message: 'old', created_at: Math.floor(Date.now() / 1000) + 40 * 86_400 });
    clock.ahead = 30 * day;
    await post({ message: 'young', created_at: 0 });
    await scope.update(devices, { max_log_age_in_days: 31 }, {});
    expect(await messages()).toEqual(['young', 'old']);
    await scope.update(devices, { max_log_age_in_days: 29 }, {});
    expect(await messages()).toEqual(['young']);
    expect(await messages('/api/logs/search')).toEqual(['young']);
    await trim();
    expect(await stored()).toEqual(['young']);
    await scope.update(devices, { max_log_age_in_days: 0 }, {});
    const receivedAgo = (days: number) => scope.update(logs, { updated_at: timestamp(clock.now() - days * day) }, {});
    await receivedAgo(59);
    expect(await messages()).toEqual(['young']);
    await receivedAgo(61);
    expect(await messages()).toEqual([]);
  });

  it('have a quarter for errors, warnings and assertions, before and after they are trimmed', async () => {
    await scope.update(devices, { max_log_count: 15 }, {});
    await store('error', 'error 1', 'error 2');
    await store('warn', 'warning');
    await store('assertion', 'assertion');
    await store('info', ...numbered('detail', 30));
    const kept = [...numbered('detail', 30).reverse().slice(0, 12), 'assertion', 'warning', 'error 2'];
    expect(await messages()).toEqual(kept);
    expect(await messages('/api/logs/search?verbosity=1')).toEqual(['assertion', 'warning', 'error 2']);
    await expect.poll(stored).toEqual([...kept].reverse());
    await store('success', ...numbered('more', 40));
    expect((await messages()).slice(12)).toEqual(['assertion', 'warning', 'error 2']);
  });

  it('are as many errors as there is room, if there is nothing else', async () => {
    await scope.update(devices, { max_log_count: 8 }, {});
    await store('info', ...numbered('before', 3));
    await store('error', ...numbered('error', 6));
    expect(await messages()).toEqual([...numbered('error', 6).reverse(), 'before 3', 'before 2']);
    await store('error', 'error 7', 'error 8', 'error 9');
    expect(await messages()).toEqual(numbered('error', 9).reverse().slice(0, 8));
    await scope.update(devices, { max_log_count: 0 }, {});
    expect(await messages()).toEqual([]);
  });

  it.each([0, 3, 4, 8, 40])('are all that is left of old and new ones, with room for %s', async (room) => {
    await scope.update(devices, { max_log_count: room }, {});
    await store('error', 'expired 1', 'expired 2');
    await store('info', 'expired 3');
    await scope.update(logs, { updated_at: timestamp(clock.now() - 61 * day) }, {});
    await store('error', ...numbered('error', 5));
    await store('info', ...numbered('detail', 6));
    await store('warn', 'warning');
    await store('success', ...numbered('done', 4));
    const listed = await messages();
    expect(listed).toHaveLength(Math.min(room, 16));
    await trim();
    expect((await stored()).reverse()).toEqual(listed);
  });

  it('of an import follow the same rules', async () => {
    const typeOf = (log: string) => (log.startsWith('error') ? 'error' : 'info');
    const newestFirst = [...numbered('detail', 9), 'error 1', 'error 2', 'error 3'];
    expect([...newestLogs(newestFirst, 8, typeOf)].sort()).toEqual([...numbered('detail', 6), 'error 1', 'error 2']);
    expect([...newestLogs(newestFirst, 100, typeOf)].sort()).toEqual([...newestFirst].sort());
    expect([...newestLogs(newestFirst, 0, typeOf)]).toEqual([]);
    expect([...newestLogs(newestFirst, 3, typeOf)]).toEqual(['detail 1', 'detail 2', 'detail 3']);
  });
});
