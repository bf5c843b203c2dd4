import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/** The slowest test files, the slowest first. */
const slowFiles = [
  'test/rabbitmq/whole-server.test.ts',
  'test/rabbitmq/exchanges.test.ts',
  'test/programs/commands.test.ts',
  'test/rabbitmq/connection.test.ts',
  'test/operating/commands.test.ts',
  'test/pages/own-pages.test.ts',
  'test/commands.test.ts',
  'test/upkeep/inactive-accounts.test.ts',
  'test/fuzz.test.ts',
  'test/pages/web-app.test.ts',
  'test/exchanges.test.ts',
  'test/live/kill-under-load.test.ts',
  'test/live/exchanges.test.ts',
  'test/backup/backup.test.ts',
  'test/graceful-stop.test.ts',
  'test/transfer/import-command.test.ts',
  'test/programs/property.test.ts',
  'test/events.test.ts',
  'test/newer-database.test.ts',
  'test/transfer/export-command.test.ts',
  'test/transfer/import-property.test.ts',
  'test/seeding/kill.test.ts',
  'test/kill-under-load.test.ts',
  'test/matrix.test.ts',
  'src/main.test.ts',
  'src/device/log-mails.test.ts',
  'src/http/streams.test.ts',
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
