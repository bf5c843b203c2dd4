import { expect, it } from 'vitest';
import { notifications } from '../../../src/notifications/notification-resource.ts';
import { RobotWatch } from '../../../src/notifications/robot-watch.ts';
import { suiteApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';

const minute = 60_000;
const start = Date.UTC(2026, 3, 1, 12);

type Options = ConstructorParameters<typeof RobotWatch>[0];

describeEngines('the watch over robots', (engine) => {
  const clock = { time: start, now: () => clock.time };
  const server = suiteApp(engine, {}, { now: clock.now });

  it('reports once that a robot is offline, after five minutes, and not one that reconnects', async () => {
    const { deviceId } = await server.signUp();
    const scope = server.app.server().device(deviceId);
    const connected = new Set<number>();
    let say: (message: { deviceId: number; channel: string }) => void = () => undefined;
    const watch = () =>
      new RobotWatch({
        live: {
          robotMessages: {
            observe(listener: typeof say) {
              say = listener;
              return () => undefined;
            },
          },
          directory: { robots: (id: number) => (connected.has(id) ? [{}] : []) },
        } as unknown as Options['live'],
        programs: { dueRuns: async () => [] },
        queue: { enqueue: () => expect.unreachable() } as unknown as Options['queue'],
        server: server.app.server,
      });
    const found = () => scope.rows(notifications, { where: { kind: 'offline' } });
    const [first, second] = [watch(), watch()];
    first.start();
    say({ deviceId, channel: 'status' });
    second.start();
    say({ deviceId, channel: 'status' });
    clock.time += 4 * minute;
    await first.check();
    expect(await found()).toEqual([]);
    connected.add(deviceId);
    await first.check();
    await second.check();
    connected.delete(deviceId);
    const since = new Date(clock.time).toISOString();
    clock.time += 5 * minute;
    // Two processes notice it.
    await Promise.all([first.check(), second.check()]);
    await first.check();
    expect(await found()).toMatchObject([{ kind: 'offline', message: '', at: since }]);
    await first.stop();
    await second.stop();
  });
});
