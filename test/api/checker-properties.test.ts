import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkProgram, programUses } from '../../src/programs/checker.ts';
import { stepKinds } from '../../src/programs/grammar.ts';
import { programText } from '../../src/programs/program-text.ts';
import { findUnpublishable } from '../../src/programs/publishing.ts';
import type { ExistingRecords } from '../../src/programs/references.ts';
import { collectProblems, firstProblem, referencedIds } from '../../src/programs/references.ts';
import type { TargetTable } from '../../src/programs/targets.ts';
import type { Tree } from '../../src/programs/tree.ts';
import { sequenceFields, sequenceTree } from '../../src/programs/tree.ts';
import type { OwnedRecords, Program } from '../support/program-trees.ts';
import { invalidPrograms, nodesOf, programs, withClientAdditions } from '../support/program-trees.ts';

// Programs generated from the tables are valid; with one change they are not. The seed is fixed.

const seed = 20_261_121;
const runs = 400;

const own: OwnedRecords = {
  ids: { sequences: [7, 8], tools: [3], point_groups: [4], peripherals: [5], sensors: [6] },
  points: [
    { id: 9, pointer_type: 'Plant' },
    { id: 10, pointer_type: 'Weed' },
    { id: 11, pointer_type: 'ToolSlot' },
    { id: 12, pointer_type: 'GenericPointer' },
  ],
};

const existing: ExistingRecords = new Map<TargetTable, ReadonlyMap<number, string | null>>([
  ...Object.entries(own.ids).map(
    ([target, ids]) => [target as TargetTable, new Map(ids.map((id) => [id, null]))] as const,
  ),
  ['points', new Map(own.points.map(({ id, pointer_type }) => [id, pointer_type]))],
]);

/** Returns the program as parsed from JSON. */
const received = (program: Program): Tree => {
  const { args, body } = JSON.parse(JSON.stringify(program)) as Program;
  return sequenceTree({ ...args }, body);
};
const first = (tree: Tree) => firstProblem(checkProgram(tree).diagnostics, existing);
const all = (tree: Tree) => collectProblems(checkProgram(tree, 'all').diagnostics, existing);

describe('programs generated from the tables', () => {
  it('contain every kind of step that can be stored', () => {
    const generated = new Set(
      fc.sample(programs(own), { seed, numRuns: runs }).flatMap(({ body }) => body.map(({ kind }) => kind)),
    );
    expect([...generated].sort()).toEqual(stepKinds.filter((kind) => kind !== 'change_ownership').sort());
  });

  it('are accepted and returned unchanged, also when sent again', () => {
    fc.assert(
      fc.property(programs(own), (program) => {
        const tree = received(program);
        expect(first(tree)).toBeUndefined();
        expect(all(tree)).toEqual([]);
        const stored = sequenceFields(tree.root);
        expect(stored).toEqual({ args: { version: 20180209, ...program.args }, body: program.body });
        expect(sequenceFields(received(stored).root)).toEqual(stored);
        expect(JSON.stringify(sequenceFields(received(stored).root))).toBe(JSON.stringify(stored));
      }),
      { seed, numRuns: runs },
    );
  });

  it('lose only additional keys of clients', () => {
    fc.assert(
      fc.property(programs(own), (program) => {
        const tree = received(withClientAdditions(program));
        expect(first(tree)).toBeUndefined();
        expect(sequenceFields(tree.root)).toEqual(sequenceFields(received(program).root));
      }),
      { seed, numRuns: 100 },
    );
  });

  it('reference and use only existing records', () => {
    fc.assert(
      fc.property(programs(own), (program) => {
        const tree = received(program);
        const known = new Set([...Object.values(own.ids).flat(), ...own.points.map(({ id }) => id)]);
        for (const ids of referencedIds(checkProgram(tree).diagnostics).values()) {
          expect(new Set(ids).size).toBe(ids.length);
          for (const id of ids) expect(known.has(id)).toBe(true);
        }
        const uses = programUses(tree.root).map(({ target_kind, target_id }) => `${target_kind} ${target_id}`);
        expect(new Set(uses).size).toBe(uses.length);
        expect(checkProgram(tree).uses).toEqual(programUses(tree.root));
      }),
      { seed, numRuns: 100 },
    );
  });

  it('have a text with each step on its own line, in order', () => {
    fc.assert(
      fc.property(programs(own), (program) => {
        const { root } = received(program);
        const text = programText(root);
        const numbers = [...text.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));
        expect(numbers).toEqual(program.body.map((_, i) => i + 1));
        expect(text.endsWith('\n')).toBe(true);
        expect(findUnpublishable(root).every((name) => JSON.stringify(program).includes(`"${name}"`))).toBe(true);
      }),
      { seed, numRuns: 100 },
    );
  });
});

describe('programs with one error', () => {
  it('are rejected with a path and a message', () => {
    fc.assert(
      fc.property(invalidPrograms(own, 999_999), ({ change, program }) => {
        const tree = received(program);
        const problem = first(tree);
        expect(problem, change).toBeDefined();
        expect(problem?.class, change).not.toBe('length');
        expect(String(problem?.message).length, change).toBeLessThan(1500);
        expect(
          all(tree).map(({ path }) => path),
          change,
        ).toContain(problem?.path);
        // Ids that no table can contain are never queried.
        for (const ids of referencedIds(checkProgram(tree, 'all').diagnostics).values())
          for (const id of ids) expect(Number.isSafeInteger(id) && id > 0).toBe(true);
      }),
      { seed, numRuns: 2000 },
    );
  });

  it('have errors at all nodes', () => {
    const sample = fc.sample(programs(own), { seed, numRuns: 50 });
    expect(Math.max(...sample.map((program) => nodesOf(program).length))).toBeGreaterThan(20);
  });
});
