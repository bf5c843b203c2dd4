import { Failure } from '../core/errors.ts';
import type { DeviceScope } from '../db/scope.ts';
import { purgeArchivedPoints } from './point-lifecycle.ts';
import { points } from './points.ts';

/** Points of a device at most, archived ones included. [reference: points] */
export const maxPoints = 1000;
/** The number at which its people are told. */
const warningCount = 800;

/** Tells the people of a device something, as a log of it. */
export type Notify = (
  scope: DeviceScope,
  notice: { readonly message: string; readonly type: 'info' | 'warn' | 'error'; readonly channels: readonly string[] },
) => Promise<void>;

/** 422 `point_limit`. Whoever meets it purges what is archived once the transaction is over: a retry may then succeed. */
export class PointLimit extends Failure {
  constructor() {
    super('invalid', undefined, {
      point_limit: `There may be at most ${maxPoints} points. Please delete some that you do not need.`,
    });
  }
}

/** Looks whether so many more points fit. Those that go beyond 800 purge what is archived, which is told. Throws {@link PointLimit}. */
export async function ensurePointCapacity(scope: DeviceScope, tell: Notify, more = 1): Promise<void> {
  const count = await scope.count(points);
  if (count + more > maxPoints) throw new PointLimit();
  if (count > warningCount || count + more <= warningCount) return;
  await purgeArchivedPoints(scope);
  await tell(scope, {
    message: `There are ${warningCount} points of at most ${maxPoints}. Please delete some that you do not need.`,
    type: 'info',
    channels: ['fatal_email'],
  });
}
