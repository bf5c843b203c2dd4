import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/** The test files that take longest, which is waiting as well as CPU time, the longest first. */
const slowFiles = [
  'test/rabbitmq/server.test.ts',
  'test/console/doors.test.ts',
  'test/fuzz.test.ts',
  'test/console/things.test.ts',
  'test/rabbitmq/connection.test.ts',
  'test/console/programs.test.ts',
  'test/console/account-life.test.ts',
  'test/simulator/virtual-robots.test.ts',
  'test/console/map.test.ts',
  'test/deploy/container.test.ts',
  'test/console/account.test.ts',
  'test/exchanges.test.ts',
  'test/home-assistant/two-processes.test.ts',
  'test/console/schedule.test.ts',
  'test/deploy/fleet.test.ts',
  'test/rabbitmq/exchanges.test.ts',
  'test/console/first-run.test.ts',
  'test/console/accessibility.test.ts',
  'test/streams/event-streams.test.ts',
  'test/console/drafts.test.ts',
  'test/commands.test.ts',
  'test/upkeep/inactive-accounts.test.ts',
  'test/entity-tags.test.ts',
  'test/console/server.test.ts',
  'test/pages/web-app.test.ts',
  'test/console/keyboard.test.ts',
  'test/console/live.test.ts',
  'test/webhooks/kill-under-load.test.ts',
  'test/console/devices.test.ts',
  'test/webhooks/across-processes.test.ts',
  'test/client/client-package.test.ts',
  'test/console/history.test.ts',
  'test/console/stop.test.ts',
  'test/webhooks/deliveries.test.ts',
  'test/photos/photo-lifecycle.test.ts',
  'test/programs/commands.test.ts',
  'test/home-assistant/home-assistant.test.ts',
  'test/photos/refusals.test.ts',
  'test/console/robot.test.ts',
  'test/accounts/first-account.test.ts',
  'test/live/seeded-programs.test.ts',
  'src/main.test.ts',
  'test/backup/backup.test.ts',
  'test/photos/storage.test.ts',
  'test/accounts/rights.test.ts',
  'test/programs/property.test.ts',
  'test/transfer/import-property.test.ts',
  'test/photos/photos.test.ts',
  'test/attack/attack.test.ts',
  'test/console/photos.test.ts',
  'test/event-delivery.test.ts',
  'test/live/ingestion.test.ts',
  'test/operating/commands.test.ts',
  'test/streams/across-processes.test.ts',
  'test/upkeep/change-trimming.test.ts',
  'test/live/exchanges.test.ts',
  'test/faults/database-outage.test.ts',
  'test/deploy/proxies.test.ts',
  'test/kill-under-load.test.ts',
  'test/matrix.test.ts',
  'test/events.test.ts',
  'test/operating/update-requests.test.ts',
  'test/release.test.ts',
  'test/transfer/replaced-accounts.test.ts',
  'test/mail.test.ts',
  'src/http/streams.test.ts',
  'test/seeding/kill.test.ts',
  'test/transfer/import-command.test.ts',
  'test/console/logs.test.ts',
  'test/pages/docs.test.ts',
  'test/graceful-stop.test.ts',
  'src/doctor/doctor.test.ts',
  'test/published-document.test.ts',
  'test/transfer/import-rejections.test.ts',
];

/** Runs the projects one after the other and slow files first, so that the workers finish at about the same time. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const index = slowFiles.findIndex((file) => moduleId.endsWith(file));
      return index === -1 ? slowFiles.length : index;
    };
    return (await super.sort(files)).sort(
      (one, other) => one.project.name.localeCompare(other.project.name) || place(one) - place(other),
    );
  }
}
