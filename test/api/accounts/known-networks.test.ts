import { expect, it } from 'vitest';
import {
  deleteOldNetworks,
  isKnownNetwork,
  knownNetworks,
  rememberNetwork,
} from '../../../src/accounts/known-networks.ts';
import { suiteApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

describeEngines('networks from which a user signed in', (engine) => {
  const state = { elapsed: 0, error: 0 };
  const start = Date.UTC(2026, 3, 1);
  const clock = { now: () => start + state.elapsed + state.error, elapsed: () => state.elapsed };
  const server = suiteApp(engine, {}, clock);

  it('are at most 100 for each user, the last sign-ins’', async () => {
    const [account, other] = [await server.signUp(), await server.signUp()];
    const scope = server.app.server();
    await rememberNetwork(scope, other.userId, { address: '192.0.2.1', hidesClient: false });
    for (let i = 0; i < 100; i++) {
      await rememberNetwork(scope, account.userId, { address: `10.0.0.${i}`, hidesClient: false });
      state.elapsed += minute;
    }
    // The first one is used again, a day later.
    state.elapsed += day;
    await rememberNetwork(scope, account.userId, { address: '10.0.0.0', hidesClient: false });
    await rememberNetwork(scope, account.userId, { address: '10.0.1.1', hidesClient: false });
    const isKnown = (network: string, userId = account.userId) => isKnownNetwork(scope, userId, network);
    expect(await Promise.all(['10.0.0.0', '10.0.0.1', '10.0.0.2', '10.0.1.1'].map((each) => isKnown(each)))).toEqual([
      ...[true, false, true, true],
    ]);
    expect(await scope.count(knownNetworks, { where: { user_id: account.userId } })).toBe(100);
    expect(await isKnown('192.0.2.1', other.userId)).toBe(true);
  });

  it('are deleted after 90 days, but not by a clock that jumps ahead for a while', async () => {
    const { userId } = await server.signUp();
    const scope = server.app.server();
    await rememberNetwork(scope, userId, { address: '10.0.0.1', hidesClient: false });
    const sweep = async () => {
      await deleteOldNetworks(scope);
      return isKnownNetwork(scope, userId, '10.0.0.1');
    };
    state.elapsed += 89 * day;
    expect(await sweep()).toBe(true);
    state.error = 365 * day;
    expect(await sweep()).toBe(true);
    state.error = 0;
    expect(await sweep()).toBe(true);
    state.elapsed += day;
    expect(await sweep()).toBe(false);
  });
});
