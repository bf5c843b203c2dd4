import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/** The slowest test files, the slowest first. */
const slowFiles = [
  'test/deploy/container.test.ts',
  'test/deploy/fleet.test.ts',
  'test/rabbitmq/server.test.ts',
  'test/fuzz.test.ts',
  'test/upkeep/inactive-accounts.test.ts',
  'test/commands.test.ts',
  'test/exchanges.test.ts',
  'test/rabbitmq/connection.test.ts',
  'test/programs/commands.test.ts',
  'test/attack/attack.test.ts',
  'test/live/seeded-programs.test.ts',
  'test/photos/photo-lifecycle.test.ts',
  'test/seeding/failures.test.ts',
  'test/deploy/proxies.test.ts',
  'test/matrix.test.ts',
  'test/pages/own-pages.test.ts',
  'test/backup/backup.test.ts',
  'test/pages/web-app.test.ts',
  'test/pages/docs.test.ts',
  'test/rabbitmq/exchanges.test.ts',
  'test/graceful-stop.test.ts',
  'test/operating/commands.test.ts',
  'test/transfer/import-property.test.ts',
  'test/photos/photos.test.ts',
  'test/faults/lost-files.test.ts',
  'test/programs/property.test.ts',
  'test/events.test.ts',
  'test/live/ingestion.test.ts',
  'test/live/exchanges.test.ts',
  'test/accounts/sign-in-limits.test.ts',
  'test/transfer/import-command.test.ts',
  'test/upkeep/garden-cleanup.test.ts',
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
