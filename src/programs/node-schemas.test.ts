import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OwnedRecords } from '../../test/support/program-trees.ts';
import { invalidPrograms, programs } from '../../test/support/program-trees.ts';
import { schemaProblem } from '../../test/support/schema-validator.ts';
import { Type } from '../engine/json-schema.ts';
import { checkProgram } from './checker.ts';
import type { NodeKind } from './corpus.ts';
import { grammar, isKind } from './grammar.ts';
import { exampleNode } from './node-examples.ts';
import { anyNodesSchema, bodyNodesSchema, localsSchema } from './node-schemas.ts';
import { collectProblems, Reference } from './references.ts';
import { sequenceTree } from './tree.ts';

const seed = 20_261_122;
const own: OwnedRecords = {
  ids: { sequences: [7], tools: [3], point_groups: [4], peripherals: [5], sensors: [6] },
  points: [
    { id: 9, pointer_type: 'Plant' },
    { id: 10, pointer_type: 'Weed' },
    { id: 11, pointer_type: 'ToolSlot' },
    { id: 12, pointer_type: 'GenericPointer' },
  ],
};
const program = Type.Object({
  args: Type.Object({ locals: localsSchema }),
  body: bodyNodesSchema('sequence'),
});
const step = (node: object): string | null => schemaProblem(bodyNodesSchema('sequence'), [node]);
const fits = (node: object): boolean => step(node) === null;
const wait = { kind: 'wait', args: { milliseconds: 1 } };

describe('the schemas of nodes', () => {
  const sent = [...grammar.keys()].filter(isKind).filter((kind) => !kind.startsWith('internal_'));
  it.each(sent)('accept the example of %s', (kind: NodeKind) => {
    expect(schemaProblem(anyNodesSchema, [exampleNode(kind)])).toBeNull();
  });

  it('accept all programs that can be stored', () => {
    fc.assert(
      fc.property(programs(own), (each) => {
        expect(schemaProblem(program, JSON.parse(JSON.stringify(each)))).toBeNull();
      }),
      { seed, numRuns: 200 },
    );
  });

  it('reject faults that do not depend on other parts of the program or on records', () => {
    const elsewhere = ['not_found', 'unbound', 'wrong_variable', 'analog_light', 'unpicked'];
    let rejected = 0;
    fc.assert(
      fc.property(invalidPrograms(own, 999_999), ({ change, program: each }) => {
        const { args, body } = JSON.parse(JSON.stringify(each));
        const { diagnostics } = checkProgram(sequenceTree(args, body), 'all');
        const [problem] = collectProblems(
          diagnostics.filter((one) => !(one instanceof Reference)),
          new Map(),
        );
        if (!problem || elsewhere.includes(problem.code)) return;
        rejected++;
        expect(schemaProblem(program, { args, body }), `${change} ${JSON.stringify(problem)}`).not.toBeNull();
      }),
      { seed, numRuns: 500 },
    );
    expect(rejected).toBeGreaterThan(200);
  });

  it('reject arguments of other types, out of range, missing and unknown', () => {
    expect(fits(wait)).toBe(true);
    for (const args of [{ milliseconds: '1' }, { milliseconds: 180_001 }, { milliseconds: 1.5 }, {}, { speed: 1 }])
      expect(fits({ kind: 'wait', args }), JSON.stringify(args)).toBe(false);
    expect(fits({ ...wait, args: { milliseconds: 1, speed: 1 } })).toBe(false);
    expect(fits({ ...wait, name: 'x' })).toBe(false);
    expect(fits({ ...wait, comment: 'x' })).toBe(true);
    expect(fits({ kind: 'execute', args: { sequence_id: 0 } })).toBe(false);
  });

  it('reject kinds in other places', () => {
    const move = (child: object) => fits({ kind: 'move', args: {}, body: [child] });
    expect(move({ kind: 'safe_z', args: {} })).toBe(true);
    expect(move(wait)).toBe(false);
    expect(fits({ kind: 'safe_z', args: {} })).toBe(false);
    expect(fits({ kind: 'change_ownership', args: {} })).toBe(false);
    const condition = (_then: object) =>
      fits({ kind: '_if', args: { lhs: 'x', op: '<', rhs: 1, _then, _else: { kind: 'nothing', args: {} } } });
    expect(condition({ kind: 'execute', args: { sequence_id: 1 } })).toBe(true);
    expect(condition(wait)).toBe(false);
  });

  it('accept placeholders as defaults only', () => {
    const declared = (kind: string, name: string) =>
      schemaProblem(localsSchema, {
        kind: 'scope_declaration',
        args: {},
        body: [{ kind, args: { label: 'n', [name]: { kind: 'number_placeholder', args: {} } } }],
      }) === null;
    expect(declared('parameter_declaration', 'default_value')).toBe(true);
    expect(declared('variable_declaration', 'data_value')).toBe(false);
  });

  it('name kinds that are named like a resource differently', () => {
    const { $defs } = anyNodesSchema as { $defs: object };
    expect(Object.keys($defs)).toEqual(
      expect.arrayContaining(['Step', 'Node', 'Wait', 'If', 'MoveAbsolute', 'ToolNode']),
    );
    expect(Object.keys($defs)).not.toContain('Tool');
  });
});
