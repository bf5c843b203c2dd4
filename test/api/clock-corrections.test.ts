import { expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { password, startApp } from '../support/app.ts';
import { describeEngines } from '../support/engines.ts';

const day = 86_400_000;

describeEngines('a server whose clock is set ahead after its start', (engine) => {
  it('keeps the sessions that robots began before, and no others', async () => {
    // As on a machine without a hardware clock that was off for the winter.
    const clock = { offset: -90 * day, now: () => systemClock.now() + clock.offset, elapsed: () => performance.now() };
    const server = await startApp(engine, { HOST: '127.0.0.1', PORT: '0' }, clock);
    const { email } = await server.signUp();
    const signIn = async (agent: string) => {
      const headers = { 'user-agent': agent };
      const { json } = await server.call('POST', '/api/tokens', { body: { user: { email, password } }, headers });
      return json.token as { encoded: string; unencoded: { exp: number } };
    };
    const statusOf = async ({ encoded: token }: { encoded: string }) =>
      (await server.call('GET', '/api/device', { token })).status;
    const robot = 'FarmbotOS/15.5.3 (rpi4) rpi4 ()';
    const older = await signIn(robot);
    await server.app.listen();
    const [robots, persons] = [await signIn(robot), await signIn('Mozilla/5.0')];
    expect(robots.unencoded.exp * 1000).toBeLessThan(systemClock.now());

    clock.offset = 0;
    await expect.poll(() => statusOf(robots)).toBe(200);
    expect(await statusOf(persons)).toBe(401);
    expect(await statusOf(older)).toBe(401);
    const later = await signIn(robot);
    // They last as long as others, and end.
    clock.offset = 59 * day;
    expect([await statusOf(robots), await statusOf(later)]).toEqual([200, 200]);
    clock.offset = 61 * day;
    expect([await statusOf(robots), await statusOf(later)]).toEqual([401, 401]);
    await server.close();
  });
});
