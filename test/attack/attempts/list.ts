import type { Attempt } from '../attempt.ts';
import { accessAttempts } from './access.ts';
import { accountAttempts } from './accounts.ts';
import { brokerRightsAttempts } from './broker-rights.ts';
import { fairShareAttempts, fairShareScriptAttempts } from './fair-shares.ts';
import { floodAttempts } from './floods.ts';
import { personalAttempts, personalScriptAttempts } from './personal.ts';
import { recordLimitAttempts } from './record-limits.ts';
import { resumptionAttempts } from './resumption.ts';
import { rollingUpdateAttempts } from './rolling-update.ts';
import { serviceAttempts } from './services.ts';
import { storageAttempts } from './storage.ts';
import { virtualRobotAttempts } from './virtual-robot.ts';
import { wireAttempts } from './wire.ts';

/** Attempts of one kind of attacker. */
export interface AttemptGroup {
  readonly title: string;
  readonly attempts: readonly Attempt[];
}

/** THE list of attempts, from which docs/reference/attacks.md is generated. */
export const attemptGroups: readonly AttemptGroup[] = [
  {
    title: 'From outside',
    attempts: [
      ...accountAttempts,
      ...floodAttempts,
      ...storageAttempts,
      ...serviceAttempts,
      ...accessAttempts,
      ...resumptionAttempts,
      ...wireAttempts,
      ...rollingUpdateAttempts,
    ],
  },
  {
    title: 'From inside a virtual robot',
    attempts: [...virtualRobotAttempts, ...fairShareScriptAttempts, ...personalScriptAttempts],
  },
  {
    title: 'As a member, a robot or a token of a garden',
    attempts: [...personalAttempts, ...brokerRightsAttempts, ...recordLimitAttempts, ...fairShareAttempts],
  },
];

export const attempts: readonly Attempt[] = attemptGroups.flatMap((group) => group.attempts);
