import { normalizeEmail } from '../accounts/account-fields.ts';
import { installVersion } from '../programs/installing.ts';
import { createSequence } from '../programs/sequence-changes.ts';
import { sequences } from '../programs/sequences.ts';
import { findFeaturedVersions } from '../programs/shared-versions.ts';
import type { GardenSeeder } from './garden-seeder.ts';
import type { Names, SeedProgram } from './programs/nodes.ts';
import { idIn } from './robot-seeds.ts';

/** The result of seeding programs. */
export interface SeedingResult {
  /** Names of programs that the publisher does not share; empty without a publisher. [decision 49] */
  readonly unshared: readonly string[];
  /** Ids of sequences by the English names of their programs. */
  readonly ids: ReadonlyMap<string, number>;
}

/** Creates programs unless a sequence of the same name exists, installing the ones that the publisher shares. Throws 422. [rule S7] */
export async function seedPrograms(
  seeder: GardenSeeder,
  programs: readonly SeedProgram[],
  names: Omit<Names, 'sequence'>,
  publisher: string | null,
): Promise<SeedingResult> {
  const { scope } = seeder;
  const shared = publisher === null ? [] : await findFeaturedVersions(scope.server, normalizeEmail(publisher));
  const ids = new Map<string, number>();
  const unshared: string[] = [];
  for (const program of programs) {
    const { name } = program;
    // The publisher's have English names.
    const there = await scope.first(sequences, { where: { name: [name, seeder.inWords(name)] } });
    if (there) seeder.noteExisting((texts) => texts.sequence(there.name));
    ids.set(name, there?.id ?? (await plant(program)));
  }
  return { unshared, ids };

  async function plant(program: SeedProgram): Promise<number> {
    const version = program.isShared && shared.find(({ name }) => name === program.name);
    if (program.isShared && !version && publisher !== null) unshared.push(program.name);
    const json = version
      ? await installVersion(scope, version.id, scope.label)
      : await createSequence(
          scope,
          seeder.inWords(programBody(program, { ...names, sequence: (name) => idIn(ids, name) })),
        );
    return Number(JSON.parse(json).id);
  }
}

/** Returns the request body that creates the program. */
export function programBody(
  { name, color, pinned, locals, steps }: SeedProgram,
  names: Names,
): Record<string, unknown> {
  return {
    name,
    color,
    pinned: pinned ?? false,
    args: { locals: { kind: 'scope_declaration', args: {}, ...(locals && { body: locals }) } },
    body: steps(names),
  };
}
