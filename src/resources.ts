import { emailChanges } from './accounts/email-changes.ts';
import { gardenPasswords } from './accounts/garden-passwords.ts';
import { globalConfig } from './accounts/global-config.ts';
import { invitations } from './accounts/invitations.ts';
import { serverKeys } from './accounts/key-pair.ts';
import { knownNetworks } from './accounts/known-networks.ts';
import { members } from './accounts/members.ts';
import { personalTokens } from './accounts/personal-tokens.ts';
import { serverSettings } from './accounts/server-settings.ts';
import { tokenIssuances } from './accounts/token-issuances.ts';
import { users } from './accounts/users.ts';
import { aiQuestions, aiUsages } from './ai/ai-usages.ts';
import { changeCursors } from './db/change-cursors.ts';
import { changeRows } from './db/change-rows.ts';
import type { Table } from './db/table.ts';
import { aiFeedbacks } from './device/ai-feedbacks.ts';
import { alerts } from './device/alerts.ts';
import { devices } from './device/devices.ts';
import { fbosConfig } from './device/fbos-config.ts';
import { feedbacks } from './device/feedbacks.ts';
import { firmwareConfig } from './device/firmware-config.ts';
import { globalBulletins } from './device/global-bulletins.ts';
import { logs } from './device/logs.ts';
import { releases } from './device/releases.ts';
import { telemetries } from './device/telemetries.ts';
import { webAppConfig } from './device/web-app-config.ts';
import { wizardStepResults } from './device/wizard-step-results.ts';
import type { AnyResource } from './engine/resource.ts';
import { ResourceRights } from './engine/rights.ts';
import { curves } from './garden/curves.ts';
import { farmwareEnvs } from './garden/farmware-envs.ts';
import { farmwareInstallations } from './garden/farmware-installations.ts';
import { folders } from './garden/folders.ts';
import { peripherals } from './garden/peripherals.ts';
import { pinBindings } from './garden/pin-bindings.ts';
import { plantTemplates } from './garden/plant-templates.ts';
import { pointGroupItems, pointGroups } from './garden/point-groups.ts';
import { points } from './garden/points.ts';
import { savedGardens } from './garden/saved-gardens.ts';
import { sceneObjects } from './garden/scene-objects.ts';
import { sensorReadings } from './garden/sensor-readings.ts';
import { sensors } from './garden/sensors.ts';
import { tools } from './garden/tools.ts';
import { webcamFeeds } from './garden/webcam-feeds.ts';
import { homeAssistants } from './home-assistant/home-assistant-rows.ts';
import { jobs } from './jobs/job-rows.ts';
import { jobSchedules } from './jobs/schedules.ts';
import { brokerSessions } from './live/rabbitmq/broker-sessions.ts';
import { notifications } from './notifications/notification-resource.ts';
import { notificationRules } from './notifications/notification-rules.ts';
import { images } from './photos/images.ts';
import { uploads } from './photos/uploads.ts';
import { calendarFeeds } from './programs/calendar-feeds.ts';
import { farmEvents } from './programs/farm-events.ts';
import { programReferences } from './programs/program-references.ts';
import { sequencePublications, sequenceVersions } from './programs/publications.ts';
import { regimenItems, regimens } from './programs/regimens.ts';
import { sequences } from './programs/sequences.ts';
import { accountQuotas } from './quotas/account-quotas.ts';
import { runPlaces, runs } from './runs/run-records.ts';
import { series, seriesQuarters, seriesSamples } from './series/series-tables.ts';
import { virtualRobots } from './simulator/virtual-robot-rows.ts';
import { streamTickets } from './streams/stream-tickets.ts';
import { webhookDeliveries } from './webhooks/deliveries.ts';
import { webhooks } from './webhooks/webhook-resource.ts';

/** All resources, from which routes, documentation, announcements, exports and tests are derived. Resources of `device/sync` come first, in its order. */
export const resources: readonly AnyResource[] = [
  farmEvents,
  farmwareEnvs,
  farmwareInstallations,
  peripherals,
  pinBindings,
  points,
  regimens,
  sensors,
  sequences,
  tools,
  fbosConfig,
  firmwareConfig,
  pointGroups,
  curves,
  sensorReadings,
  // Not in device/sync.
  aiFeedbacks,
  alerts,
  folders,
  images,
  logs,
  notifications,
  plantTemplates,
  savedGardens,
  sceneObjects,
  telemetries,
  webAppConfig,
  webcamFeeds,
  wizardStepResults,
];

/** All resources whose changes are logged: also those of the server's work for a garden, which requests do not create and exports do not contain. */
export const loggedResources: readonly AnyResource[] = [...resources, runs];

/** The receivers of changes by resource. */
export const resourceRights = new ResourceRights(loggedResources);

/** Every table of the database. */
export const tables: readonly Table[] = [
  devices,
  users,
  tokenIssuances,
  personalTokens,
  emailChanges,
  knownNetworks,
  brokerSessions,
  virtualRobots,
  homeAssistants,
  serverKeys,
  globalConfig,
  serverSettings,
  members,
  invitations,
  gardenPasswords,
  globalBulletins,
  releases,
  jobs,
  jobSchedules,
  changeRows,
  changeCursors,
  aiUsages,
  aiQuestions,
  feedbacks,
  accountQuotas,
  ...loggedResources,
  regimenItems,
  pointGroupItems,
  programReferences,
  runPlaces,
  calendarFeeds,
  notificationRules,
  series,
  seriesSamples,
  seriesQuarters,
  sequencePublications,
  sequenceVersions,
  uploads,
  webhooks,
  webhookDeliveries,
  streamTickets,
];
