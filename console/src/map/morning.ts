import type { BatchPart } from '../data/changes.ts';
import { placeName } from '../data/parameters.ts';
import type { Plant } from './points.ts';
import { openTime, type WateringMethod } from './watering.ts';

/** A watering of plants that repeats every day. */
export interface Morning {
  readonly method: WateringMethod;
  readonly plants: readonly Pick<Plant, 'id'>[];
  /** A group that has just these plants; null: several plants become one. */
  readonly groupId: number | null;
  /** ISO 8601. */
  readonly start: string;
  readonly end: string;
  /** The names of new records. */
  readonly names: { readonly program: string; readonly group: string };
}

/** Returns a program that goes over a place and opens a peripheral there. */
function programOver(name: string, peripheralId: number): object {
  const place = { kind: 'identifier', args: { label: placeName } };
  const axis = (axis: 'x' | 'y' | 'z', axis_operand: object) => ({
    kind: 'axis_overwrite',
    args: { axis, axis_operand },
  });
  const write = (pin_value: 0 | 1) => ({
    kind: 'write_pin',
    args: {
      pin_number: { kind: 'named_pin', args: { pin_type: 'Peripheral', pin_id: peripheralId } },
      pin_mode: 0,
      pin_value,
    },
  });
  const anywhere = { kind: 'coordinate', args: { x: 0, y: 0, z: 0 } };
  const parameter = { kind: 'parameter_declaration', args: { label: placeName, default_value: anywhere } };
  const safe = axis('z', { kind: 'special_value', args: { label: 'safe_height' } });
  return {
    name,
    color: 'blue',
    args: { locals: { kind: 'scope_declaration', args: {}, body: [parameter] } },
    body: [
      { kind: 'move', args: {}, body: [axis('x', place), axis('y', place), safe, { kind: 'safe_z', args: {} }] },
      write(1),
      { kind: 'wait', args: { milliseconds: openTime } },
      write(0),
    ],
  };
}

/** Returns the requests that schedule a watering: the missing program and group, and the event, which refers to them. */
export function morningRequests({ method, plants, groupId, start, end, names }: Morning): BatchPart[] {
  const parts: BatchPart[] = [];
  const make = (path: string, body: object): { readonly $ref: string } => {
    parts.push({ method: 'POST', path, body });
    return { $ref: `${parts.length}.id` };
  };
  const isStored = method.kind === 'sequence';
  const executable_id = isStored ? method.id : make('/api/sequences', programOver(names.program, method.id));
  const [only, ...others] = plants;
  const point_group_id = (): unknown =>
    groupId ?? make('/api/point_groups', { name: names.group, point_ids: plants.map(({ id }) => id) });
  const data_value =
    only && others.length === 0
      ? { kind: 'point', args: { pointer_type: 'Plant', pointer_id: only.id } }
      : { kind: 'point_group', args: { point_group_id: point_group_id() } };
  const label = isStored ? method.variable : placeName;
  make('/api/farm_events', {
    executable_type: 'Sequence',
    executable_id,
    start_time: start,
    end_time: end,
    repeat: 1,
    time_unit: 'daily',
    body: [{ kind: 'parameter_application', args: { label, data_value } }],
  });
  return parts;
}
