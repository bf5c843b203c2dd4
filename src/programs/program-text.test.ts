import { expect, it } from 'vitest';
import { nodeText, programText } from './program-text.ts';
import type { TargetTable } from './targets.ts';
import { farmEventTree, sequenceTree } from './tree.ts';

const node = (kind: string, args: Record<string, unknown> = {}, body: unknown[] = []) => ({ kind, args, body });
const coordinate = (x: number, y: number, z: number) => node('coordinate', { x, y, z });
const where = node('identifier', { label: 'where' });
const pin = node('named_pin', { pin_type: 'Peripheral', pin_id: 5 });

const names = (target: TargetTable, id: number): string | undefined =>
  new Map([
    ['peripherals 5', 'Pump'],
    ['sequences 7', 'Water\u202e\nmore'],
  ]).get(`${target} ${id}`);

it('returns the text of a program', () => {
  const locals = node('scope_declaration', {}, [
    node('parameter_declaration', { label: 'where', default_value: coordinate(1, 2.5, 3) }),
    node('variable_declaration', { label: 'n', data_value: node('numeric', { number: 4 }) }),
  ]);
  const body = [
    node('move_absolute', { location: where, offset: coordinate(0, 0, 50), speed: 100 }),
    { ...node('write_pin', { pin_number: pin, pin_value: 1, pin_mode: 0 }), comment: ' on\nagain ' },
    node('_if', {
      lhs: 'pin13',
      op: '<',
      rhs: 500,
      _then: node('execute', { sequence_id: 7 }, [
        node('parameter_application', { label: 'place', data_value: where }),
        node('parameter_application', { label: 'n', data_value: node('numeric', { number: 2 }) }),
      ]),
      _else: node('nothing'),
    }),
    node('move', {}, [
      node('axis_overwrite', { axis: 'z', axis_operand: node('special_value', { label: 'safe_height' }) }),
      node('speed_overwrite', { axis: 'all', speed_setting: node('numeric', { number: 50 }) }),
      node('safe_z'),
    ]),
    node('lua', { lua: 'for i = 1, 2 do\r\n\tprint(i)\nend\n' }, [node('pair', { label: 'prompt', value: 'count' })]),
    node('assertion', { assertion_type: 'recover', _then: node('execute', { sequence_id: 8 }), lua: '' }),
    node('send_message', { message: 'x is {{ x }}\u0007!', message_type: 'info' }, [
      node('channel', { channel_name: 'toast' }),
    ]),
    node('wait', { milliseconds: 1500 }),
    node('take_photo'),
    node('update_resource', { resource: node('resource', { resource_type: 'Plant', resource_id: 9 }) }, [
      node('pair', { label: 'plant_stage', value: 'planted' }),
    ]),
  ];
  expect(programText(sequenceTree({ locals }, body).root, { title: 'Water\nthe beds', names })).toBe(
    `Water the beds

Variables:
  where: parameter, default (1, 2.5, 3)
  n = 4

1.  move to where, offset (0, 0, 50), at 100 % speed
2.  set pin Peripheral 5 "Pump" to 1 (mode 0)  # on again
3.  if pin13 < 500
      then run sequence 7 "Water more" (place = where; n = 2)
      else continue
4.  move
      z: to the safe_height
      all: at 50 % speed
      via the safe height
5.  run Lua
      for i = 1, 2 do
      	print(i)
      end
      prompt = count
6.  test with Lua; if it fails: recover
      to recover: run sequence 8
      (empty)
7.  say "x is {{ x }} !" (info)
      show as toast
8.  wait 1500 ms
9.  take a photo
10. change Plant 9
      plant_stage = planted
`,
  );
});

it('returns text for programs without steps and for bodies of farm events', () => {
  expect(programText(sequenceTree({}, []).root)).toBe('(no steps)\n');
  const applied = node('parameter_application', { label: 'p', data_value: node('text', { string: 'a' }) });
  expect(programText(farmEventTree([applied]).root)).toBe('1. p = "a"\n');
  expect(nodeText(sequenceTree({}, [node('wait', { milliseconds: 5 })]).root)).toBe('sequence\n  wait 5 ms');
});

it('keeps line breaks of a client from looking like steps', () => {
  const body = [node('send_message', { message: 'a\n2. power off', message_type: 'info' })];
  expect(programText(sequenceTree({}, body).root)).toBe('1. say "a 2. power off" (info)\n');
});
