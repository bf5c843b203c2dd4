/** A place in the garden, in mm. */
interface Place {
  readonly x: number;
  readonly y: number;
}

type Axis = keyof Place;

/** Sorts by the first axis, then by the second. `turns`: every other row of the first one is traversed backwards. */
function byRows<P extends Place>(points: readonly P[], first: Axis, second: Axis, turns: boolean): P[] {
  const rows = [...new Set(points.map((point) => point[first]))].sort((a, b) => a - b);
  return rows.flatMap((at, index) => {
    const row = points.filter((point) => point[first] === at).sort((a, b) => a[second] - b[second]);
    return turns && index % 2 === 1 ? row.reverse() : row;
  });
}

/** Goes from the origin to the nearest point, and from each to the nearest that remains. */
function byDistance<P extends Place>(points: readonly P[]): P[] {
  const left = [...points];
  const path: P[] = [];
  let here: Place = { x: 0, y: 0 };
  while (left.length > 0) {
    const distances = left.map(({ x, y }) => (x - here.x) ** 2 + (y - here.y) ** 2);
    const [nearest] = left.splice(distances.indexOf(Math.min(...distances)), 1);
    if (!nearest) break;
    path.push(nearest);
    here = nearest;
  }
  return path;
}

/** `random`: from 0 up to 1. */
function shuffled<P>(points: readonly P[], random: () => number): P[] {
  const left = [...points];
  return points.flatMap(() => left.splice(Math.floor(random() * left.length), 1));
}

type Order = <P extends Place>(points: readonly P[], random: () => number) => P[];

/** THE table of the orders in which the points of a group are visited. */
const orders = {
  xy_ascending: (points) => byRows(points, 'x', 'y', false),
  xy_descending: (points) => byRows(points, 'x', 'y', false).reverse(),
  yx_ascending: (points) => byRows(points, 'y', 'x', false),
  yx_descending: (points) => byRows(points, 'y', 'x', false).reverse(),
  xy_alternating: (points) => byRows(points, 'x', 'y', true),
  yx_alternating: (points) => byRows(points, 'y', 'x', true),
  nn: byDistance,
  random: shuffled,
} as const satisfies Readonly<Record<string, Order>>;

export type PointOrder = keyof typeof orders;

/** The names of the orders, as a group's `sort_type` has them. */
export const pointOrders = Object.keys(orders) as readonly PointOrder[];

/** The order of groups that name none. */
export const usualOrder = 'xy_ascending' satisfies PointOrder;

/** Returns points in the order in which a robot visits them. `random` returns numbers from 0 up to 1. */
export function orderedPoints<P extends Place>(
  points: readonly P[],
  name: unknown,
  random: () => number = Math.random,
): readonly P[] {
  const order: Order = orders[pointOrders.find((each) => each === name) ?? usualOrder];
  return order(points, random);
}
