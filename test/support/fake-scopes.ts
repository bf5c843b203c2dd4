import { serverActor } from '../../src/core/changes.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { EventRecorder } from '../../src/core/events.ts';
import type { Logger } from '../../src/core/logger.ts';
import type { DeviceScope, Identity, ServerScope } from '../../src/db/scope.ts';

const noData = (): never => {
  throw new Error('a fake scope has no data');
};

const access = {
  rows: noData,
  first: noData,
  select: noData,
  numbers: noData,
  jsonList: noData,
  jsonLists: noData,
  jsonListsInParts: noData,
  count: noData,
  sum: noData,
  insert: noData,
  insertAll: noData,
  update: noData,
  delete: noData,
  trim: noData,
  recall: noData,
};

const events: EventRecorder = { was: noData, changed: noData, deleted: noData, kept: noData };

/** The events in a fake scope. */
export interface ScopeActivity {
  commits: number;
  rollbacks: number;
  identities: Identity[];
}

/** A server scope without a database that counts transactions and accepts any device id. */
export function fakeServerScope(clock: Clock, log: Logger, seen: ScopeActivity, isTransaction = false): ServerScope {
  const inTransaction = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      const value = await work();
      seen.commits++;
      return value;
    } catch (error) {
      seen.rollbacks++;
      throw error;
    }
  };
  const server: ServerScope = {
    ...access,
    kind: 'server',
    clock,
    log,
    rowsPerStatement: 1,
    isTransaction,
    version: () => null,
    afterCommit: (effect) => effect(),
    transaction: (work) => inTransaction(() => work(fakeServerScope(clock, log, seen, true))),
    device: (deviceId, identity = {}) => {
      seen.identities.push(identity);
      const device = (isInside: boolean): DeviceScope => ({
        ...access,
        kind: 'device',
        deviceId,
        userId: identity.userId ?? null,
        label: identity.label ?? 'NONE',
        origin: identity.origin ?? 'server',
        actor: identity.actor ?? serverActor,
        request: 'fake',
        isOfRobot: identity.isOfRobot ?? false,
        keepsHistory: true,
        keepStates: noData,
        restoring: noData,
        emptyHistory: noData,
        clock,
        log,
        rowsPerStatement: 1,
        events,
        isTransaction: isInside,
        afterCommit: (effect) => effect(),
        transaction: (work) => inTransaction(() => work(device(true))),
        detached: () => device(false),
        server,
      });
      return device(isTransaction);
    },
  };
  return server;
}
