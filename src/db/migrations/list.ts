import type { Migration } from '../migrator.ts';
import { firstSchema } from './20261121000000-first-schema.ts';
import { eventClaims } from './20261122073000-event-claims.ts';
import { emailChanges } from './20261122074500-email-changes.ts';
import { pausedJobs } from './20261122083000-paused-jobs.ts';
import { knownNetworks } from './20261122083500-known-networks.ts';
import { configDefaults } from './20261122085000-config-defaults.ts';
import { feedbacks } from './20261122085500-feedbacks.ts';
import { quotas } from './20261122085700-quotas.ts';
import { temporaryTokens } from './20261122110643-temporary-tokens.ts';
import { photoSizes } from './20261122113536-photo-sizes.ts';
import { aiQuestions } from './20261122115701-ai-questions.ts';
import { administrators } from './20261122143200-administrators.ts';
import { administration } from './20261122183500-administration.ts';
import { changes } from './20261122184000-changes.ts';
import { calendarFeeds } from './20261122185804-calendar-feeds.ts';
import { sessions } from './20261122191300-sessions.ts';
import { webhooks } from './20261122191500-webhooks.ts';
import { changeCursors } from './20261122192700-change-cursors.ts';
import { virtualRobots } from './20261122194100-virtual-robots.ts';
import { streamTickets } from './20261122194317-stream-tickets.ts';
import { personalTokens } from './20261122194400-personal-tokens.ts';
import { series } from './20261122194828-series.ts';
import { history } from './20261122195000-history.ts';
import { homeAssistants } from './20261122195500-home-assistants.ts';
import { members } from './20261122200153-members.ts';
import { homeAssistantPasswords } from './20261123015000-home-assistant-passwords.ts';
import { postedLogs } from './20261123051500-posted-logs.ts';
import { deviceCommits } from './20261123121000-device-commits.ts';
import { compatibleVersions } from './20261123121500-compatible-versions.ts';
import { webhookDeliveriesByDevice } from './20261123153900-webhook-deliveries-by-device.ts';
import { marksOfPostedLogs } from './20261123184000-marks-of-posted-logs.ts';
import { countedVersions, oneIndexOfVersions, sizesOfVersions } from './20261128062500-sizes-of-versions.ts';
import { turnsOfJobs } from './20261128064000-turns-of-jobs.ts';
import { serialKeysOfJobs } from './20261128094800-serial-keys-of-jobs.ts';

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
  temporaryTokens,
  photoSizes,
  aiQuestions,
  administrators,
  administration,
  changes,
  calendarFeeds,
  sessions,
  webhooks,
  changeCursors,
  virtualRobots,
  streamTickets,
  personalTokens,
  series,
  history,
  homeAssistants,
  members,
  homeAssistantPasswords,
  postedLogs,
  deviceCommits,
  compatibleVersions,
  webhookDeliveriesByDevice,
  marksOfPostedLogs,
  sizesOfVersions,
  oneIndexOfVersions,
  countedVersions,
  turnsOfJobs,
  serialKeysOfJobs,
];
