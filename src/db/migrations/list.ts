import type { Migration } from '../migrator.ts';
import { firstSchema } from './20261121000000-first-schema.ts';
import { eventClaims } from './20261122073000-event-claims.ts';
import { emailChanges } from './20261122074500-email-changes.ts';
import { pausedJobs } from './20261122083000-paused-jobs.ts';
import { knownNetworks } from './20261122083500-known-networks.ts';
import { configDefaults } from './20261122085000-config-defaults.ts';
import { feedbacks } from './20261122085500-feedbacks.ts';
import { quotas } from './20261122085700-quotas.ts';

/** All migrations in ascending order. Never change a released one: append the next. */
export const migrations: readonly Migration[] = [
  firstSchema,
  eventClaims,
  emailChanges,
  pausedJobs,
  knownNetworks,
  configDefaults,
  feedbacks,
  quotas,
];
