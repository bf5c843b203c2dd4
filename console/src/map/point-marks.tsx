import { type FocusEvent, type KeyboardEvent, type MouseEvent, memo, useLayoutEffect, useRef, useState } from 'react';
import type { Bed } from '../data/bed.ts';
import { cropPictures } from '../ui/crop-pictures.ts';
import styles from './marks.module.css';
import {
  initialsOf,
  isDirection,
  isRemovedWeed,
  markRadius,
  neighbor,
  type Point,
  pointName,
  toolNameOf,
} from './points.ts';
import { mapText } from './text.ts';

interface MarkProps {
  readonly point: Point;
  readonly bed: Bed;
  readonly isSelected: boolean;
  /** The name of the tool in a slot. */
  readonly toolName?: string | undefined;
}

/** One point. All points share the handlers. */
const Mark = memo(function Mark({ point, bed, isSelected, toolName }: MarkProps) {
  const [x, y] = bed.toScreen(point.x, point.y);
  const radius = markRadius(point);
  const text = mapText();
  const common = {
    role: 'button',
    tabIndex: -1,
    'aria-pressed': isSelected,
    'aria-label': text.pointLabel(
      pointName(point, toolName),
      isRemovedWeed(point) ? text.removedWeed : text.kinds[point.pointer_type],
      Math.round(point.x),
      Math.round(point.y),
    ),
    'data-point': point.id,
  };
  const picture = point.pointer_type === 'Plant' ? cropPictures[point.openfarm_slug] : undefined;
  if (picture)
    return (
      <image
        {...common}
        className={styles.mark}
        href={picture}
        x={x - radius}
        y={y - radius}
        width={2 * radius}
        height={2 * radius}
      />
    );
  const className = `${styles.mark} ${isRemovedWeed(point) ? styles.removedWeed : styles[point.pointer_type]}`;
  const label = point.pointer_type === 'Plant' ? point.name : toolName;
  return (
    <>
      {point.pointer_type === 'ToolSlot' ? (
        <rect
          {...common}
          className={className}
          x={x - radius}
          y={y - radius}
          width={2 * radius}
          height={2 * radius}
          rx={10}
        />
      ) : (
        <circle {...common} className={className} cx={x} cy={y} r={radius} />
      )}
      {label ? (
        <text className={styles.label} data-follows={point.id} aria-hidden x={x} y={y} fontSize={radius * 0.8}>
          {initialsOf(label)}
        </text>
      ) : null}
    </>
  );
});

export interface PointMarksProps {
  readonly bed: Bed;
  readonly points: readonly Point[];
  readonly selected: ReadonlySet<number>;
  readonly toolNames: ReadonlyMap<number, string>;
  /** `isAdded`: to the selection. `byKey`: without a pointer. */
  readonly onSelect: (id: number, isAdded: boolean, byKey: boolean) => void;
  /** A point got the focus: it should be seen. */
  readonly onFocus: (point: Point) => void;
  /** Escape was pressed. */
  readonly onClose: () => void;
}

const elementOf = (group: SVGGElement | null, id: number | undefined): SVGElement | null =>
  group?.querySelector<SVGElement>(`[data-point="${id}"]`) ?? null;

/** Makes a point the only one in the tab order. */
function putInTabOrder(group: SVGGElement | null, id: number | undefined): void {
  group?.querySelector('[data-point][tabindex="0"]')?.setAttribute('tabindex', '-1');
  elementOf(group, id)?.setAttribute('tabindex', '0');
}

/** The points as buttons. One of them is in the tab order; arrow keys go to the next one in their direction. */
export function PointMarks({ bed, points, selected, toolNames, onSelect, onFocus, onClose }: PointMarksProps) {
  const group = useRef<SVGGElement>(null);
  const current = useRef<number | undefined>(undefined);
  const [focusedId, setFocusedId] = useState<number>();
  const focusedPoint = points.find(({ id }) => id === focusedId);
  const pointAt = (target: EventTarget): Point | undefined => {
    const id = Number(target instanceof Element && target.closest('[data-point]')?.getAttribute('data-point'));
    return points.find((point) => point.id === id);
  };
  useLayoutEffect(() => {
    const isThere = points.some(({ id }) => id === current.current);
    if (!isThere) current.current = (points.find(({ id }) => selected.has(id)) ?? points[0])?.id;
    putInTabOrder(group.current, current.current);
  }, [points, selected]);

  const focused = ({ target }: FocusEvent): void => {
    const point = pointAt(target);
    if (!point) return;
    current.current = point.id;
    putInTabOrder(group.current, point.id);
    setFocusedId(point.id);
    if (target instanceof Element && target.matches(':focus-visible')) onFocus(point);
  };
  const clicked = ({ target, shiftKey, detail }: MouseEvent): void => {
    // Of two clicks the first one chooses: its panel may have moved the bed. Screen readers click without a pointer.
    const point = detail > 1 ? undefined : pointAt(target);
    if (point) onSelect(point.id, shiftKey, detail === 0);
  };
  const pressed = (event: KeyboardEvent): void => {
    const point = pointAt(event.target);
    if (!point || event.defaultPrevented) return;
    if (event.key === 'Enter' || event.key === ' ') onSelect(point.id, event.shiftKey, true);
    else if (event.key === 'Escape') onClose();
    else if (isDirection(event.key)) {
      const at = ({ id, x, y }: Point) => {
        const [left, top] = bed.toScreen(x, y);
        return { id, left, top };
      };
      const next = neighbor(at(point), event.key, points.map(at));
      if (next) elementOf(group.current, next.id)?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // Its handlers are for the buttons in it.
    <g role="group" ref={group} onClick={clicked} onKeyDown={pressed} onFocus={focused}>
      {points.map((point) => (
        <Mark
          key={point.id}
          point={point}
          bed={bed}
          isSelected={selected.has(point.id)}
          toolName={toolNameOf(point, toolNames)}
        />
      ))}
      {focusedPoint ? (
        <g className={styles.focus}>
          <Ring bed={bed} point={focusedPoint} distance={28} />
        </g>
      ) : null}
    </g>
  );
}

interface RingProps {
  readonly bed: Bed;
  readonly point: Point;
  /** From the mark, in mm. */
  readonly distance: number;
}

function Ring({ bed, point, distance }: RingProps) {
  const [cx, cy] = bed.toScreen(point.x, point.y);
  const at = { cx, cy, r: markRadius(point) + distance };
  return (
    <g data-follows={point.id}>
      <circle className={styles.halo} {...at} />
      <circle className={styles.ring} {...at} />
    </g>
  );
}

/** Rings around the selection. */
export const SelectionRings = ({
  bed,
  points,
  selected,
}: {
  readonly bed: Bed;
  readonly points: readonly Point[];
  readonly selected: ReadonlySet<number>;
}) =>
  points.flatMap((point) =>
    selected.has(point.id) ? [<Ring key={point.id} bed={bed} point={point} distance={12} />] : [],
  );
