import type { Attempt } from '../attempt.ts';

/** What people with rights in a garden, and their robots and tokens, try beyond them. */
export const gardenAttempts: readonly Attempt[] = [];
