import { describe, expect, it } from 'vitest';
import type { VirtualRobotRow } from '../../../src/simulator/virtual-robot-rows.ts';
import { virtualRobots } from '../../../src/simulator/virtual-robot-rows.ts';
import { VirtualRobots } from '../../../src/simulator/virtual-robots.ts';
import { suiteApp } from '../../support/app.ts';
import { engines } from '../../support/engines.ts';
import { waitUntil } from '../../support/robot-server.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

describe.each(engines)('the processes of virtual robots (%s)', (engine) => {
  const server = suiteApp(engine);
  const clock = { at: Date.now(), now: () => clock.at };

  /** A process that runs robots, and can be killed. */
  function createProcess() {
    const running = new Map<number, { x: number }>();
    let isKilled = false;
    let sessions = 0;
    const robots = new VirtualRobots({
      server: () => {
        if (isKilled) throw new Error('killed');
        return server.app.server();
      },
      clock,
      log: silent,
      ownsDatabase: false,
      limit: 20,
      sessions: {
        open: async () => ({ jti: `session ${++sessions}`, token: 'token' }),
        isOpen: async () => true,
        end: async () => undefined,
      },
      create: async ({ device_id, x }: VirtualRobotRow) => {
        const state = { x: x + 1 };
        return {
          get position() {
            return { ...state, y: 0, z: 0 };
          },
          activeAt: 0,
          ended: new Promise(() => undefined),
          start: async () => void running.set(device_id, state),
          stop: async () => void running.delete(device_id),
        };
      },
    });
    return { robots, running, kill: () => (isKilled = true) };
  }

  it('run each robot once, and take over from a killed one after its lease', async () => {
    const { deviceId, userId } = await server.signUp();
    const device = server.app.server().device(deviceId);
    const state = { is_running: true, is_demo: false, started_at: '2026-01-01T00:00:00.000Z' };
    await device.insert(virtualRobots, { user_id: userId, ...state, x: 0, y: 0, z: 0 });
    const [one, two] = [createProcess(), createProcess()];
    await Promise.all([one.robots.start(), two.robots.start()]);
    await waitUntil(() => one.running.size + two.running.size > 0, 'the start');
    await one.robots.wake();
    await two.robots.wake();
    expect(one.running.size + two.running.size).toBe(1);
    const [owner, other] = one.running.size === 1 ? [one, two] : [two, one];
    // The lease is renewed.
    for (let i = 0; i < 3; i++) {
      clock.at += 5_000;
      await owner.robots.wake();
      await other.robots.wake();
      expect([owner.running.size, other.running.size]).toEqual([1, 0]);
    }
    owner.kill();
    clock.at += 7_000;
    await other.robots.wake();
    expect(other.running.size).toBe(0);
    clock.at += 2_000;
    await other.robots.wake();
    await waitUntil(() => other.running.size > 0, 'the start');
    await other.robots.wake();
    expect([...other.running.values()]).toEqual([{ x: 2 }]);
    expect(await device.first(virtualRobots)).toMatchObject({ x: 2 });
    // A stop releases the lease immediately.
    const third = createProcess();
    await third.robots.start();
    await other.robots.stop();
    expect(other.running.size).toBe(0);
    expect(await device.first(virtualRobots)).toMatchObject({ x: 2, lease_by: null });
    await third.robots.wake();
    await waitUntil(() => third.running.size > 0, 'the start');
    expect([...third.running.values()]).toEqual([{ x: 3 }]);
    await third.robots.stop();
  });
});
