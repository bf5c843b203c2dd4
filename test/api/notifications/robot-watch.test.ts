import { expect, it } from 'vitest';
import { devices } from '../../../src/device/devices.ts';
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

  const connected = new Set<number>();
  let say: (message: { deviceId: number; channel: string }) => void = () => undefined;
  const watch = (dueRuns: Options['programs']['dueRuns'] = async () => []) =>
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
      programs: { dueRuns },
      queue: { enqueue: () => expect.unreachable() } as unknown as Options['queue'],
      server: server.app.server,
    });

  it('reports once that a robot is offline, after five minutes, and not one that reconnects', async () => {
    const { deviceId } = await server.signUp();
    const scope = server.app.server().device(deviceId);
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

  it('reports no run that was due before the robot went offline, also after it reported that', async () => {
    const { deviceId } = await server.signUp();
    const scope = server.app.server().device(deviceId);
    const seen = { last_saw_broker: new Date(clock.time).toISOString() };
    await scope.transaction((inner) => inner.update(devices, seen, {}));
    const [before, after] = [clock.time - minute, clock.time + minute];
    const own = watch(async ({ deviceId: id }) =>
      id === deviceId
        ? [
            { name: 'Water', at: before },
            { name: 'Weed', at: after },
          ]
        : [],
    );
    own.start();
    say({ deviceId, channel: 'status' });
    clock.time += 6 * minute;
    await own.check();
    for (const { handle } of own.jobs) await handle(server.app.server(), {}, {} as never);
    expect((await scope.rows(notifications)).map(({ kind, message }) => [kind, message])).toEqual([
      ['offline', ''],
      ['missed_run', 'Weed'],
    ]);
    await own.stop();
  });
});
