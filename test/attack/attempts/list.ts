import type { Attempt } from '../attempt.ts';
import { accessAttempts } from './access.ts';
import { accountAttempts } from './accounts.ts';
import { floodAttempts } from './floods.ts';
import { serviceAttempts } from './services.ts';
import { storageAttempts } from './storage.ts';
import { wireAttempts } from './wire.ts';

/** THE list of attempts, from which docs/attacks.md is generated. */
export const attempts: readonly Attempt[] = [
  ...accountAttempts,
  ...floodAttempts,
  ...storageAttempts,
  ...serviceAttempts,
  ...accessAttempts,
  ...wireAttempts,
];
