import { uiText } from '../ui/text.ts';
import styles from './things.module.css';

export interface PointsPreviewProps {
  readonly label: string;
  /** The size of the bed, in mm. */
  readonly config: { readonly map_size_x: number; readonly map_size_y: number };
  readonly points: readonly { readonly id: number; readonly x: number; readonly y: number; readonly radius?: number }[];
  /** Ids of those that stand out. */
  readonly members: ReadonlySet<number>;
  /** The way of the robot. */
  readonly path?: readonly { readonly x: number; readonly y: number }[];
}

/** A small drawing of the bed with points in it. */
export const PointsPreview = ({
  label,
  config: { map_size_x, map_size_y },
  points,
  members,
  path,
}: PointsPreviewProps) => (
  <svg
    className={styles.drawing}
    viewBox={`0 0 ${map_size_x} ${map_size_y}`}
    role="img"
    aria-label={uiText().pair(label, String(members.size))}
  >
    <rect width={map_size_x} height={map_size_y} className={styles.soil} />
    {points.map(({ id, x, y, radius = 25 }) => (
      <circle
        key={id}
        cx={x}
        cy={y}
        r={Math.max(radius, map_size_x / 150)}
        className={members.has(id) ? styles.member : styles.other}
      />
    ))}
    {path ? <polyline points={path.map(({ x, y }) => `${x},${y}`).join(' ')} className={styles.path} /> : null}
  </svg>
);
