import { Failure } from '../core/errors.ts';
import type { DeviceScope } from '../db/scope.ts';
import { purgeArchived } from './point-removal.ts';
import { points } from './points.ts';

/** Points of a device at most, archived ones included. [reference: points] */
export const mostPoints = 1000;
/** The number at which its people are told. */
const warned = 800;

/** Tells the people of a device something, as a log of it. */
export type Tell = (
  scope: DeviceScope,
  notice: { readonly message: string; readonly type: 'info' | 'warn' | 'error'; readonly channels: readonly string[] },
) => Promise<void>;

/** 422 `point_limit`. Whoever meets it purges what is archived once the transaction is over: a retry may then succeed. */
export class PointLimit extends Failure {
  constructor() {
    super('invalid', undefined, {
      point_limit: `There may be at most ${mostPoints} points. Please delete some that you do not need.`,
    });
  }
}

/** Looks whether so many more points fit. Those that go beyond 800 purge what is archived, which is told. Throws {@link PointLimit}. */
export async function makeRoom(scope: DeviceScope, tell: Tell, more = 1): Promise<void> {
  const count = await scope.count(points);
  if (count + more > mostPoints) throw new PointLimit();
  if (count > warned || count + more <= warned) return;
  await purgeArchived(scope);
  await tell(scope, {
    message: `There are ${warned} points of at most ${mostPoints}. Please delete some that you do not need.`,
    type: 'info',
    channels: ['fatal_email'],
  });
}
