import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Failure } from '../../../src/core/errors.ts';
import { reasonOf } from '../../../src/core/errors.ts';
import type { OperationsBySubject } from '../../../src/operations.ts';
import type { Account, TestApp } from '../../support/app.ts';
import { startApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';

describeEngines('releases', (engine) => {
  const clock = { time: Date.UTC(2026, 3, 1), now: () => clock.time++ };
  let server: TestApp;
  let account: Account;
  let releases: OperationsBySubject['releases'];

  beforeEach(async () => {
    server = await startApp(engine, {}, clock);
    account = await server.signUp();
    releases = await server.app.operations.releases();
  });
  afterEach(() => server.close());

  const good = (version: string, changes: object = {}) => ({
    version,
    platform: 'rpi4',
    channel: 'stable',
    image_url: `https://images.example/${version}.fw`,
    ...changes,
  });
  const add = async (version: string, changes: object = {}) => (await releases.add(good(version, changes))).outcome;
  const offered = async (platform = 'rpi4') => {
    const { status, json } = await server.call('GET', `/api/releases?platform=${platform}`, { token: account.token });
    return status === 200 ? json.version : [status, Object.keys(json)];
  };

  it('are offered to robots of their platform and channel, the last added one first', async () => {
    expect(await offered()).toEqual([404, ['error']]);
    expect(await add('15.4.6')).toBe('new');
    expect(await add('v15.4.7', { dot_img_url: 'https://images.example/7.img' })).toBe('new');
    expect(await add('15.5.0-RC1', { channel: 'beta' })).toBe('new');
    expect(await add('14.0.0', { platform: 'rpi3' })).toBe('new');
    const { json } = await server.call('GET', '/api/releases?platform=rpi4', { token: account.token });
    expect(json).toEqual({
      id: expect.any(Number),
      created_at: expect.any(String),
      updated_at: expect.any(String),
      image_url: 'https://images.example/v15.4.7.fw',
      version: '15.4.7',
      platform: 'rpi4',
      channel: 'stable',
      dot_img_url: 'https://images.example/7.img',
    });
    expect(await offered('rpi3')).toBe('14.0.0');
    expect(await offered('rpi')).toEqual([404, ['error']]);
    expect(await offered('none')).toEqual([422, ['platform']]);
    await server.call('PATCH', '/api/fbos_config', { token: account.token, body: { update_channel: 'beta' } });
    expect(await offered()).toBe('15.5.0-rc1');
    const headers = { 'user-agent': 'FarmbotOS/15.5.0-rc1 (rpi4) rpi4 ()' };
    await server.call('GET', '/api/device', { token: account.token, headers });
    expect(await offered()).toEqual([422, ['version']]);
  });

  it('are rolled back by adding the previous one again, or by removing the last', async () => {
    await add('15.4.6');
    await add('15.4.7');
    expect(await add('15.4.7')).toBe('known');
    expect(await offered()).toBe('15.4.7');
    expect(await add('15.4.6')).toBe('again');
    expect(await offered()).toBe('15.4.6');
    const list = await releases.list();
    expect(list.map(({ version, isOffered }) => [version, isOffered])).toEqual([
      ['15.4.6', true],
      ['15.4.7', false],
    ]);
    expect(await releases.remove(list[0]?.id ?? 0)).toMatchObject({ version: '15.4.6' });
    expect(await releases.remove(list[0]?.id ?? 0)).toBeNull();
    expect(await offered()).toBe('15.4.7');
  });

  it('are listed by channel and platform', async () => {
    await add('1.0.0-rc1', { channel: 'alpha', platform: 'rpi' });
    await add('1.0.0', { platform: 'rpi4' });
    await add('1.0.0', { platform: 'rpi' });
    await add('1.0.1', { platform: 'rpi' });
    const list = await releases.list();
    expect(list.map(({ channel, platform, version, isOffered }) => [channel, platform, version, isOffered])).toEqual([
      ['stable', 'rpi', '1.0.1', true],
      ['stable', 'rpi', '1.0.0', false],
      ['stable', 'rpi4', '1.0.0', true],
      ['alpha', 'rpi', '1.0.0-rc1', true],
    ]);
  });

  it('do not change the channel of robots', async () => {
    await server.call('PATCH', '/api/fbos_config', { token: account.token, body: { update_channel: 'alpha' } });
    await add('15.4.6');
    const { json } = await server.call('GET', '/api/fbos_config', { token: account.token });
    expect(json.update_channel).toBe('alpha');
  });

  it('are immutable: different URLs require removing the old one', async () => {
    await add('15.4.6');
    const changed = releases.add(good('15.4.6', { image_url: 'https://other.example/x.fw' }));
    expect(String(await changed.catch(reasonOf))).toContain('Remove that one first.');
    expect((await releases.list()).map(({ image_url }) => image_url)).toEqual(['https://images.example/15.4.6.fw']);
  });

  // They are refused before the database is asked.
  if (engine !== 'sqlite') return;

  it.each([
    [{ version: '15.4' }, ['version']],
    [{ version: '15.4.6-beta1' }, ['version']],
    [{ version: '15.4.6\n' }, null],
    [{ version: '15.4.6-rc1' }, ['channel']],
    [{ platform: 'rpi5', channel: 'nightly' }, ['platform', 'channel']],
    [{ image_url: 'file:///etc/passwd' }, ['image_url']],
    [{ image_url: 'https://a.example/a b' }, ['image_url']],
    [{ image_url: `https://a.example/${'x'.repeat(2000)}` }, ['image_url']],
    [{ dot_img_url: 'images.example' }, ['dot_img_url']],
    [{ version: undefined, image_url: undefined }, ['version', 'image_url']],
  ])('are validated: %j', async (changes, fields) => {
    const failure = await releases.add({ ...good('15.4.6'), ...changes }).then(
      () => null,
      (error: Failure) => Object.keys(error.fields ?? {}),
    );
    expect(failure).toEqual(fields);
    expect(await releases.list()).toHaveLength(fields ? 0 : 1);
  });
});
