import type { Xyz } from 'farmbot';
import type { Vector } from './nodes.ts';

/** In which order axes move. */
export type TravelOrder =
  | { readonly by: 'safe height'; readonly height: number }
  | {
      readonly by: 'groups';
      /** Axes that move together, the first group first. */
      readonly groups: readonly (readonly Xyz[])[];
      /** `high`: z rises before the others move and sinks after them; `low`: the other way round. */
      readonly route: string;
    };

const isAxis = (letter: string): letter is Xyz => letter === 'x' || letter === 'y' || letter === 'z';

/** Reads a grouping such as `xy,z`. Axes that it leaves out move last, together. */
export function groupsOf(grouping: string): Xyz[][] {
  const left = new Set<Xyz>(['x', 'y', 'z']);
  const groups: Xyz[][] = [];
  for (const part of grouping.split(',').slice(0, 3)) {
    const group = [...part].filter(isAxis).filter((axis) => left.delete(axis));
    if (group.length > 0) groups.push(group);
  }
  if (left.size > 0) groups.push([...left]);
  return groups;
}

/** Reads the setting `default_axis_order`, `xy,z;high` or `safe_z`. */
export function orderOf(setting: string, safeHeight: number): TravelOrder {
  if (setting === 'safe_z') return { by: 'safe height', height: safeHeight };
  const [grouping = '', route = 'in_order'] = setting.split(';');
  return { by: 'groups', groups: groupsOf(grouping), route };
}

/** The places on the way from one place to another, the last included. Empty when there is no way to go. */
export function legsOf(from: Vector, to: Vector, order: TravelOrder): Vector[] {
  if (order.by === 'safe height') {
    // Up, across, down; where it is higher than that already, it stays there.
    const height = Math.max(from.z, to.z, order.height);
    const isLevel = from.x === to.x && from.y === to.y;
    return isLevel ? moved(from, [to]) : moved(from, [{ ...from, z: height }, { ...to, z: height }, to]);
  }
  const alone = order.groups.find((group) => group.length === 1 && group[0] === 'z');
  let groups = order.groups;
  if (alone && order.route !== 'in_order') {
    const others = groups.filter((group) => group !== alone);
    const isFirst = to.z > from.z === (order.route === 'high');
    groups = isFirst ? [alone, ...others] : [...others, alone];
  }
  const places: Vector[] = [];
  let here = from;
  for (const group of groups) {
    const next = { ...here };
    for (const axis of group) next[axis] = to[axis];
    places.push(next);
    here = next;
  }
  return moved(from, places);
}

/** Leaves out places that are the one before. */
function moved(from: Vector, places: readonly Vector[]): Vector[] {
  let here = from;
  return places.filter((place) => {
    const isNew = place.x !== here.x || place.y !== here.y || place.z !== here.z;
    here = place;
    return isNew;
  });
}
