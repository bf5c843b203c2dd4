import { useMemo } from 'react';
import { useRecords } from './collections.ts';
import type { components } from './generated/api.ts';
import { pointKinds } from './point-kinds.ts';

type Node = components['schemas']['Node'];

/** A place that a variable can have. */
interface Place {
  readonly label: string;
  readonly node: Node;
}

/** Returns the places of the garden by {@link placeKey}: groups, points and tools. Suspends. */
export function usePlaces(): ReadonlyMap<string, Place> {
  const groups = useRecords('point_groups');
  const points = useRecords('points');
  const tools = useRecords('tools');
  return useMemo(() => {
    const places: readonly Place[] = [
      ...groups.map(
        ({ id, name }): Place => ({ label: name, node: { kind: 'point_group', args: { point_group_id: id } } }),
      ),
      ...points
        .toSorted((a, b) => pointKinds.indexOf(a.pointer_type) - pointKinds.indexOf(b.pointer_type))
        .map(
          ({ id, name, x, y, pointer_type }): Place => ({
            label: `${name} (${x}, ${y})`,
            node: { kind: 'point', args: { pointer_type, pointer_id: id } },
          }),
        ),
      ...tools.map(({ id, name }): Place => ({ label: name ?? '', node: { kind: 'tool', args: { tool_id: id } } })),
    ];
    return new Map(places.map((place) => [placeKey(place.node), place]));
  }, [groups, points, tools]);
}

/** The key of a value of a variable among {@link usePlaces}. */
export const placeKey = (value: Node | number | string | null): string => JSON.stringify(value);
