import { normalizeEmail } from '../accounts/account-fields.ts';
import { installVersion } from '../programs/installing.ts';
import { createSequence } from '../programs/sequence-changes.ts';
import { sequences } from '../programs/sequences.ts';
import { findFeaturedVersions } from '../programs/shared-versions.ts';
import type { GardenSeeder } from './garden-seeder.ts';
import type { Names, SeedProgram } from './programs/nodes.ts';
import { idIn } from './robot-seeds.ts';

/** What has become of programs that the publisher might share. */
export interface SeedingResult {
  /** The names of those that the publisher does not share; empty where there is no publisher. [decision 49] */
  readonly unshared: readonly string[];
}

/** Has the device these programs: what is there under its name stays, the publisher's are installed, all others stored as a client would send them. Throws 422. [reference 5.9] */
export async function seedPrograms(
  bed: GardenSeeder,
  programs: readonly SeedProgram[],
  names: Omit<Names, 'sequence'>,
  publisher: string | null,
): Promise<SeedingResult> {
  const { scope } = bed;
  const shared = publisher === null ? [] : await findFeaturedVersions(scope.server, normalizeEmail(publisher));
  const ids = new Map<string, number>();
  const unshared: string[] = [];
  for (const program of programs) {
    const { name } = program;
    const there = await scope.first(sequences, { where: { name } });
    if (there) bed.noteExisting(`the sequence '${name}'`);
    ids.set(name, there?.id ?? (await plant(program)));
  }
  return { unshared };

  async function plant(program: SeedProgram): Promise<number> {
    const version = program.isShared && shared.find(({ name }) => name === program.name);
    if (program.isShared && !version && publisher !== null) unshared.push(program.name);
    const json = version
      ? await installVersion(scope, version.id, scope.label)
      : await createSequence(scope, bodyOf(program, { ...names, sequence: (name) => idIn(ids, name) }));
    return Number(JSON.parse(json).id);
  }
}

/** The program as a client would send it. */
export function bodyOf({ name, color, pinned, locals, steps }: SeedProgram, names: Names): Record<string, unknown> {
  return {
    name,
    color,
    pinned: pinned ?? false,
    args: { locals: { kind: 'scope_declaration', args: {}, ...(locals && { body: locals }) } },
    body: steps(names),
  };
}
