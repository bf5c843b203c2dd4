import { describe, expect, it } from 'vitest';
import type { Node } from '../../programs/tree.ts';
import { usesWithNewIds, withNewIds } from './program-entries.ts';

const node = (kind: string, args: Node['args'] = {}, body?: readonly Node[]): Node => ({
  kind,
  args,
  ...(body && { body }),
});

/** Adds 1000 to every id; only ids below 10 are imported. */
const newId = (table: string, id: number): number | undefined =>
  id < 10 ? id + (table === 'devices' ? 9000 : 1000) : undefined;

describe('a program with new ids', () => {
  it('refers to each record by its new id, in arguments and bodies at any depth', () => {
    const step = node('execute', { sequence_id: 1 }, [
      node('parameter_application', { label: 'where', data_value: node('point_group', { point_group_id: 2 }) }),
      node('parameter_application', { label: 'what', data_value: node('tool', { tool_id: 3 }) }),
    ]);
    const choice = node('_if', {
      lhs: node('named_pin', { pin_type: 'Sensor', pin_id: 4 }),
      op: '<',
      rhs: 4,
      _then: step,
      _else: node('nothing'),
    });
    expect(withNewIds(node('sequence', { version: 5 }, [choice]), newId)).toEqual(
      node('sequence', { version: 5 }, [
        node('_if', {
          lhs: node('named_pin', { pin_type: 'Sensor', pin_id: 1004 }),
          op: '<',
          rhs: 4,
          _then: node('execute', { sequence_id: 1001 }, [
            node('parameter_application', {
              label: 'where',
              data_value: node('point_group', { point_group_id: 1002 }),
            }),
            node('parameter_application', { label: 'what', data_value: node('tool', { tool_id: 1003 }) }),
          ]),
          _else: node('nothing'),
        }),
      ]),
    );
  });

  it('determines the table of a resource or pin by its type', () => {
    const resource = (resource_type: string, resource_id: number) => node('resource', { resource_type, resource_id });
    expect(withNewIds(resource('Weed', 5), newId)).toEqual(resource('Weed', 1005));
    expect(withNewIds(resource('Device', 5), newId)).toEqual(resource('Device', 9005));
    const light = node('named_pin', { pin_type: 'BoxLed3', pin_id: 3 });
    expect(withNewIds(light, newId)).toEqual(light);
  });

  it('changes the mounted tool', () => {
    const pair = (label: string, value: number) => node('pair', { label, value });
    expect(withNewIds(pair('mounted_tool_id', 7), newId)).toEqual(pair('mounted_tool_id', 1007));
    expect(withNewIds(pair('x', 7), newId)).toEqual(pair('x', 7));
    expect(withNewIds(pair('mounted_tool_id', 0), () => undefined)).toEqual(pair('mounted_tool_id', 0));
  });

  it('keeps comments', () => {
    const commented: Node = { kind: 'tool', args: { tool_id: 1 }, comment: 'this one' };
    expect(withNewIds(commented, newId)).toEqual({ kind: 'tool', args: { tool_id: 1001 }, comment: 'this one' });
  });

  it('uses each imported record once', () => {
    const uses = usesWithNewIds(
      [
        { target_kind: 'tool', target_id: 1 },
        { target_kind: 'tool', target_id: 1 },
        { target_kind: 'mounted_tool', target_id: 1 },
        { target_kind: 'resource', target_id: 2 },
        { target_kind: 'sequence', target_id: 99 },
      ],
      newId,
    );
    expect(uses).toEqual([
      { target_kind: 'tool', target_id: 1001 },
      { target_kind: 'mounted_tool', target_id: 1001 },
      { target_kind: 'resource', target_id: 1002 },
    ]);
  });
});
