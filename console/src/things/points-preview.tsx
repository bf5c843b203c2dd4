import { useBed } from '../data/singles.ts';
import { uiText } from '../ui/text.ts';
import styles from './things.module.css';

export interface PointsPreviewProps {
  readonly label: string;
  readonly points: readonly { readonly id: number; readonly x: number; readonly y: number; readonly radius?: number }[];
  /** Ids of the highlighted points. */
  readonly members: ReadonlySet<number>;
  /** The way of the robot. */
  readonly path?: readonly { readonly x: number; readonly y: number }[];
}

/** A small drawing of the bed with points in it, which lies as on the map. Suspends. */
export function PointsPreview({ label, points, members, path }: PointsPreviewProps) {
  const { width, height, toScreen } = useBed();
  return (
    <svg
      className={styles.bed}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={uiText().pair(label, String(members.size))}
    >
      <rect width={width} height={height} className={styles.soil} />
      {points.map(({ id, x, y, radius = 25 }) => {
        const [left, top] = toScreen(x, y);
        return (
          <circle
            key={id}
            cx={left}
            cy={top}
            r={Math.max(radius, width / 150, height / 150)}
            className={members.has(id) ? styles.member : styles.other}
          />
        );
      })}
      {path ? (
        <polyline points={path.map(({ x, y }) => toScreen(x, y).join()).join(' ')} className={styles.path} />
      ) : null}
    </svg>
  );
}
