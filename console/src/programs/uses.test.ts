import { expect, it } from 'vitest';
import { createNode } from './node.ts';
import { usesOf } from './uses.ts';

const run = (sequence_id: number) => createNode('execute', { sequence_id });

it('finds the uses of a program, in branches too, but not the program itself', () => {
  const test = createNode('_if', { lhs: 'x', op: '<', rhs: 1, _then: run(2), _else: createNode('nothing') });
  const uses = usesOf({
    programs: [
      { id: 1, name: 'All', body: [test, run(2)] },
      { id: 2, name: 'Self', body: [run(2)] },
    ],
    regimens: [{ id: 5, name: 'Spring', regimen_items: [{ sequence_id: 2 }, { sequence_id: 2 }] }],
    events: [
      { id: 7, executable_type: 'Sequence', executable_id: 1 },
      { id: 8, executable_type: 'Regimen', executable_id: 2 },
    ],
    buttons: [{ id: 9, sequence_id: 1, pin_num: 20 }],
    startProgram: null,
  });
  expect(uses.get(2)).toEqual([
    { by: 'program', id: 1, name: 'All' },
    { by: 'regimen', id: 5, name: 'Spring' },
  ]);
  expect(uses.get(1)?.map(({ by }) => by)).toEqual(['event', 'button']);
});
