import { expect, it } from 'vitest';
import type { DeviceScope } from '../../src/db/scope.ts';
import { fbosConfig } from '../../src/device/fbos-config.ts';
import { showSingleton } from '../../src/engine/singleton.ts';
import { suiteApp } from '../support/app.ts';
import { describeEngines } from '../support/engines.ts';

/** Returns a scope that calls `afterCommit` between the commit of each transaction of its own and the next statement. */
function interleaved(scope: DeviceScope, afterCommit: () => Promise<void>): DeviceScope {
  return new Proxy(scope, {
    get(target, name) {
      if (name === 'detached') return () => interleaved(target.detached(), afterCommit);
      if (name === 'transaction')
        return async (work: (inner: DeviceScope) => Promise<unknown>) => {
          const result = await target.transaction(work);
          await afterCommit();
          return result;
        };
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

describeEngines('a configuration that is missing', (engine) => {
  const server = suiteApp(engine);

  it('is shown although another request deletes it as soon as it is created', async () => {
    const { deviceId } = await server.signUp();
    const scope = server.app.server().device(deviceId);
    await scope.delete(fbosConfig, {});
    let deletions = 0;
    const shown = await showSingleton(
      interleaved(scope, async () => {
        deletions += (await scope.delete(fbosConfig, {})).length;
      }),
      fbosConfig,
    );
    expect(JSON.parse(shown)).toMatchObject({ id: expect.any(Number), os_auto_update: true });
    expect([deletions, await scope.count(fbosConfig)]).toEqual([1, 0]);
  });
});
