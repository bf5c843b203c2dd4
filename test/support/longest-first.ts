import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

const root = join(import.meta.dirname, '../..');
/** Seconds that files took in a complete run: `npm run durations`. */
const durations: Record<string, number> = JSON.parse(readFileSync(join(root, 'test/durations.json'), 'utf8'));

/** Runs the projects in their order and slow files first, so that the workers finish at about the same time. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ project }: TestSpecification): number => this.ctx.projects.indexOf(project);
    const duration = ({ moduleId }: TestSpecification): number => durations[relative(root, moduleId)] ?? 0;
    return (await super.sort(files)).sort((one, other) => place(one) - place(other) || duration(other) - duration(one));
  }
}
