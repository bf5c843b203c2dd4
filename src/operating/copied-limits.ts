import { copyQuestionCounts } from '../ai/ai-usages.ts';
import type { DeviceScope } from '../db/scope.ts';
import { copyOwnLimits } from '../quotas/account-quotas.ts';
import { moveFeedback } from './feedback.ts';

/** Copies the limits and counters of an account to a new device of its user, inside a transaction. */
export async function copyLimits(from: DeviceScope, to: DeviceScope): Promise<void> {
  await copyOwnLimits(from, to);
  await copyQuestionCounts(from, to);
  await moveFeedback(from, to);
}
