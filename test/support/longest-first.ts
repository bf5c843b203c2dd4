import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/** The test files that take longest, which is waiting as well as CPU time, the longest first. */
const slowFiles = [
  'test/rabbitmq/server.test.ts',
  'test/client/client-package.test.ts',
  'test/simulator/virtual-robots.test.ts',
  'test/rabbitmq/connection.test.ts',
  'test/attack/attack.test.ts',
  'test/forged-tokens.test.ts',
  'test/exchanges.test.ts',
  'test/rabbitmq/exchanges.test.ts',
  'test/serializer.test.ts',
  'test/event-delivery.test.ts',
  'test/concurrency.test.ts',
  'test/console/doors.test.ts',
  'test/streams/event-streams.test.ts',
  'test/kill-under-load.test.ts',
  'test/upkeep/inactive-accounts.test.ts',
  'test/home-assistant/home-assistant.test.ts',
  'test/deploy/fleet.test.ts',
  'test/webhooks/kill-under-load.test.ts',
  'test/fuzz.test.ts',
  'test/webhooks/across-processes.test.ts',
  'test/pages/docs.test.ts',
  'test/webhooks/deliveries.test.ts',
  'test/photos/refusals.test.ts',
  'test/live/kill-under-load.test.ts',
  'test/pages/web-app.test.ts',
  'test/commands.test.ts',
  'test/programs/commands.test.ts',
  'test/sessions.test.ts',
  'test/seeding/kill.test.ts',
  'test/checker-properties.test.ts',
  'test/native-modules.test.ts',
  'test/photos/photo-lifecycle.test.ts',
  'test/deploy/container.test.ts',
  'test/published-document.test.ts',
  'test/accounts/rights.test.ts',
  'test/live/seeded-programs.test.ts',
  'test/live/ingestion.test.ts',
  'test/mail.test.ts',
  'test/live/exchanges.test.ts',
  'test/deploy/proxies.test.ts',
  'test/postgresql-15/dump-and-restore.test.ts',
  'test/faults/database-outage.test.ts',
  'test/matrix.test.ts',
  'test/programs/property.test.ts',
  'test/events.test.ts',
  'test/backup/backup.test.ts',
  'test/transfer/import-rejections.test.ts',
  'test/transfer/import-property.test.ts',
  'test/photos/photos.test.ts',
  'test/graceful-stop.test.ts',
  'test/operating/commands.test.ts',
  'src/main.test.ts',
  'src/doctor/doctor.test.ts',
  'src/http/streams.test.ts',
  'src/device/log-mails.test.ts',
  'src/accounts/passwords.test.ts',
  'src/accounts/demo-accounts.test.ts',
  'src/db/connection-watch.test.ts',
  'src/jobs/outages.test.ts',
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
