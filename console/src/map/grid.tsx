import { memo, useSyncExternalStore } from 'react';
import type { Bed } from '../data/bed.ts';
import { usePrinting } from '../ui/printing.ts';
import styles from './map.module.css';
import type { Viewport } from './viewport.ts';

/** Distances between labels, in mm, and the least in pixels. */
const labelSteps = [50, 100, 200, 500, 1000, 2000] as const;
const minLabelDistance = 56;
const lineStep = 100;
const labelSize = 12;
/** The room for the bed on a sheet of paper of usual size, in pixels. */
const paper = { width: 660, height: 900 };
/** Room for tool slots at the edge, in mm. */
const slotRadius = 40;
/** Labels are drawn again after the scale has changed by this factor. */
const scaleStep = 1.2;

const range = (size: number, step: number): number[] =>
  Array.from({ length: Math.floor(size / step) + 1 }, (_, i) => i * step);

/** The soil with lines every 100 mm. */
export const Soil = memo(function Soil({ bed }: { readonly bed: Bed }) {
  const [originX, originY] = bed.toScreen(0, 0);
  return (
    <>
      <defs>
        <pattern id="grid" x={originX} y={originY} width={lineStep} height={lineStep} patternUnits="userSpaceOnUse">
          <path d={`M ${lineStep} 0 L 0 0 0 ${lineStep}`} className={styles.gridLine} />
        </pattern>
      </defs>
      <rect width={bed.width} height={bed.height} className={styles.soil} />
      <rect width={bed.width} height={bed.height} fill="url(#grid)" />
      <circle className={styles.origin} cx={originX} cy={originY} r={16} />
    </>
  );
});

/** Coordinates along the edges at the origin, as many as there is room for, always of the same size. */
export function GridLabels({ bed, viewport }: { readonly bed: Bed; readonly viewport: Viewport }) {
  const seenScale = useSyncExternalStore(
    viewport.subscribe,
    () => scaleStep ** Math.round(Math.log(viewport.view.scale) / Math.log(scaleStep)),
  );
  const scale = usePrinting() ? Math.min(paper.width / bed.width, paper.height / bed.height) : seenScale;
  const step = labelSteps.find((each) => each * scale >= minLabelDistance) ?? 2000;
  const [originX, originY] = bed.toScreen(0, 0);
  const isRight = originX > 0;
  const isLow = originY > 0;
  const [maxX, maxY] = bed.toGarden(isRight ? 0 : bed.width, isLow ? 0 : bed.height);
  const isSwapped = bed.toScreen(1, 0)[1] !== originY;
  const size = labelSize / scale;
  const label = (value: number, axis: 'x' | 'y') => {
    const [x, y] = axis === 'x' ? bed.toScreen(value, 0) : bed.toScreen(0, value);
    const isAcross = (axis === 'x') !== isSwapped;
    return (
      <text
        key={`${axis}${value}`}
        fontSize={size}
        x={isAcross ? x : x + (isRight ? 1 : -1) * (size / 2 + slotRadius)}
        y={isAcross ? y + (isLow ? size : -size) : y}
        textAnchor={isAcross ? 'middle' : isRight ? 'start' : 'end'}
      >
        {value}
      </text>
    );
  };
  return (
    <g className={styles.labels} aria-hidden>
      {range(maxX, step).map((value) => label(value, 'x'))}
      {range(maxY, step)
        .slice(1)
        .map((value) => label(value, 'y'))}
    </g>
  );
}
