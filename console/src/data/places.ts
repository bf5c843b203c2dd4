import { useMemo } from 'react';
import { byName } from '../ui/natural-order.ts';
import { uiText } from '../ui/text.ts';
import { choiceLabel } from './choice-label.ts';
import { useRecords } from './collections.ts';
import type { components } from './generated/api.ts';
import { membersOf } from './group-criteria.ts';
import { pointKinds } from './point-kinds.ts';
import { dataText } from './text.ts';

type Node = components['schemas']['Node'];

/** A place that a variable can have. */
interface Place {
  readonly label: string;
  /** What it is, and its name: `Group of 4: Broccoli plants`. */
  readonly choice: string;
  readonly node: Node;
  /** The points of a group, at each of which a program runs; null: it is no group. */
  readonly count: number | null;
}

/** Returns the places of the garden by {@link placeKey}: groups, points and tools. Suspends. */
export function usePlaces(): ReadonlyMap<string, Place> {
  const groups = useRecords('point_groups');
  const points = useRecords('points');
  const tools = useRecords('tools');
  const text = dataText();
  return useMemo(() => {
    const now = Date.now();
    const place = (kind: string, label: string, node: Node, count: number | null = null): Place => ({
      label,
      choice: uiText().pair(kind, label),
      node,
      count,
    });
    const places: readonly Place[] = [
      ...byName(groups).map((group) => {
        const count = membersOf(group, points, now).length;
        const node: Node = { kind: 'point_group', args: { point_group_id: group.id } };
        return place(text.groupOf(count), group.name, node, count);
      }),
      ...[...points]
        .sort((a, b) => pointKinds.indexOf(a.pointer_type) - pointKinds.indexOf(b.pointer_type))
        .map(({ id, name, x, y, pointer_type }) =>
          place(choiceLabel('pointer_type', pointer_type) ?? pointer_type, `${name} (${x}, ${y})`, {
            kind: 'point',
            args: { pointer_type, pointer_id: id },
          }),
        ),
      ...byName(tools).map(({ id, name }) => place(text.tool, name ?? '', { kind: 'tool', args: { tool_id: id } })),
    ];
    return new Map(places.map((each) => [placeKey(each.node), each]));
  }, [groups, points, tools, text]);
}

/** The key of a value of a variable among {@link usePlaces}. */
export const placeKey = (value: Node | number | string | null): string => JSON.stringify(value);
