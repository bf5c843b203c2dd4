import { expect, it } from 'vitest';
import { grammar } from './grammar.ts';
import { exampleNode } from './node-examples.ts';
import { findUnpublishable } from './publishing.ts';
import { sequenceTree } from './tree.ts';

const publishable =
  'calibrate emergency_lock execute_script find_home lua move move_absolute move_relative power_off read_pin reboot send_message ' +
  'set_servo_angle take_photo wait zero';

it('allows publishing the examples of these steps and of no others', () => {
  const kinds = [...grammar.values()].filter(({ row }) => row.step !== undefined).map(({ kind }) => kind);
  const passed = kinds.filter((kind) => findUnpublishable(sequenceTree({}, [exampleNode(kind)]).root).length === 0);
  expect(passed.sort()).toEqual(publishable.split(' ').sort());
});

it('returns the names that cannot be published, sorted and without duplicates', () => {
  const pin = { kind: 'named_pin', args: { pin_type: 'Sensor', pin_id: 1 } };
  const nothing = { kind: 'nothing', args: {} };
  const steps = [
    { kind: 'read_pin', args: { pin_number: pin, label: '', pin_mode: 0 } },
    { kind: 'read_pin', args: { pin_number: pin, label: '', pin_mode: 0 } },
    {
      kind: '_if',
      args: { lhs: 'x', op: 'is', rhs: 1, _then: { kind: 'execute', args: { sequence_id: 1 } }, _else: nothing },
    },
    { kind: 'move', args: {}, body: [{ kind: 'axis_order', args: { grouping: 'xyz', route: 'high' } }] },
  ];
  const point = { kind: 'point', args: { pointer_type: 'Plant', pointer_id: 1 } };
  const locals = {
    kind: 'scope_declaration',
    args: {},
    body: [{ kind: 'variable_declaration', args: { label: 'p', data_value: point } }],
  };
  expect(findUnpublishable(sequenceTree({ locals }, steps).root)).toEqual([
    '_if',
    'lhs',
    'named_pin',
    'pin_id',
    'pointer_id',
    'sequence_id',
  ]);
  expect(findUnpublishable(sequenceTree({}, []).root)).toEqual([]);
});
