import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/** The slowest test files, the slowest first. */
const slowFiles = [
  'test/exchanges.test.ts',
  'test/rabbitmq/exchanges.test.ts',
  'test/programs/commands.test.ts',
  'test/live/exchanges.test.ts',
  'test/rabbitmq/whole-server.test.ts',
  'test/operating/commands.test.ts',
  'test/upkeep/inactive-accounts.test.ts',
  'test/fuzz.test.ts',
  'test/commands.test.ts',
  'test/live/ingestion.test.ts',
  'test/rabbitmq/connection.test.ts',
  'test/backup/backup.test.ts',
  'test/events.test.ts',
  'test/photos/life.test.ts',
  'test/live/kill-under-load.test.ts',
  'test/pages/own-pages.test.ts',
  'test/graceful-stop.test.ts',
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
