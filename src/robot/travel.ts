import type { Xyz } from 'farmbot';
import type { Vector } from './nodes.ts';

/** The order in which axes move. */
export type TravelOrder =
  | { readonly by: 'safe height'; readonly height: number }
  | {
      readonly by: 'groups';
      /** Axes that move together, the first group first. */
      readonly groups: readonly (readonly Xyz[])[];
      /** `high`: z moves up before the other axes and down after them; `low`: the opposite. */
      readonly route: string;
    };

const isAxis = (letter: string): letter is Xyz => letter === 'x' || letter === 'y' || letter === 'z';

/** Parses a grouping such as `xy,z`. Missing axes move last, together. */
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

/** Parses the setting `default_axis_order`: `xy,z;high` or `safe_z`. */
export function orderOf(setting: string, safeHeight: number): TravelOrder {
  if (setting === 'safe_z') return { by: 'safe height', height: safeHeight };
  const [grouping = '', route = 'in_order'] = setting.split(';');
  return { by: 'groups', groups: groupsOf(grouping), route };
}

/** Returns the waypoints from one position to another, including the last. Empty if both are equal. */
export function legsOf(from: Vector, to: Vector, order: TravelOrder): Vector[] {
  if (order.by === 'safe height') {
    // Up, across, down; a position above the safe height is kept.
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

/** Removes positions that are equal to the previous one. */
function moved(from: Vector, places: readonly Vector[]): Vector[] {
  let here = from;
  return places.filter((place) => {
    const isNew = place.x !== here.x || place.y !== here.y || place.z !== here.z;
    here = place;
    return isNew;
  });
}
