import { useNavigate } from '@tanstack/react-router';
import { Maximize, Minus, Plus } from 'lucide-react';
import { memo } from 'react';
import { type RecordOf, useRecords } from '../data/collections.ts';
import { useIsRobotCurrent, useRobot } from '../data/robot.ts';
import { useWebAppConfig } from '../data/singles.ts';
import { IconButton } from '../ui/button.tsx';
import { usePageTitle } from '../ui/page.tsx';
import { type Bed, bedOf } from './bed.ts';
import styles from './map.module.css';
import { mapRoute } from './routes.ts';
import { mapText } from './text.ts';
import { useViewport } from './viewport.ts';

type Point = RecordOf<'points'>;

const zoomStep = 1.3;
const gridStep = 100;

/** The points, drawn once; panning and zooming do not render them. */
const Points = memo(function Points({
  bed,
  points,
  selected,
}: {
  bed: Bed;
  points: readonly Point[];
  selected: number | undefined;
}) {
  const navigate = useNavigate();
  return points.map((point) => {
    const [x, y] = bed.toScreen(point.x, point.y);
    return (
      <g key={point.id} className={styles[point.pointer_type]} data-selected={point.id === selected || undefined}>
        <circle
          role="button"
          tabIndex={0}
          aria-label={point.name}
          cx={x}
          cy={y}
          r={'radius' in point ? Math.max(point.radius, 15) : 30}
          onClick={() => void navigate({ to: '/map', search: { point: point.id } })}
          onKeyDown={({ key }) => {
            if (key === 'Enter' || key === ' ') void navigate({ to: '/map', search: { point: point.id } });
          }}
        />
      </g>
    );
  });
});

function RobotMarker({ bed }: { readonly bed: Bed }) {
  const position = useRobot()?.status?.position;
  const isCurrent = useIsRobotCurrent();
  const text = mapText();
  if (position?.x == null || position.y == null) return null;
  const [x, y] = bed.toScreen(position.x, position.y);
  const label = (isCurrent ? text.robotAt : text.robotLastAt)(Math.round(position.x), Math.round(position.y));
  return (
    <g className={isCurrent ? styles.robot : styles.robotAway} role="img" aria-label={label}>
      <line x1={x} x2={x} y1={0} y2={bed.height} />
      <circle cx={x} cy={y} r={40} />
    </g>
  );
}

/** The garden to scale. */
export function MapPage() {
  const text = mapText();
  usePageTitle(text.title);
  const bed = bedOf(useWebAppConfig());
  const points = useRecords('points');
  const { point } = mapRoute.useSearch();
  const { frame, sheet, zoom, fit } = useViewport(bed.width, bed.height);
  return (
    <div className={styles.map}>
      <h1 className={styles.hidden}>{text.title}</h1>
      <div ref={frame} className={styles.viewport}>
        <div ref={sheet} className={styles.sheet} style={{ width: bed.width, height: bed.height }}>
          <svg width={bed.width} height={bed.height} role="group" aria-label={text.bed(bed.width, bed.height)}>
            <defs>
              <pattern id="grid" width={gridStep} height={gridStep} patternUnits="userSpaceOnUse">
                <path d={`M ${gridStep} 0 L 0 0 0 ${gridStep}`} className={styles.gridLine} />
              </pattern>
            </defs>
            <rect width={bed.width} height={bed.height} className={styles.soil} />
            <rect width={bed.width} height={bed.height} fill="url(#grid)" />
            <Points bed={bed} points={points} selected={point} />
            <RobotMarker bed={bed} />
          </svg>
        </div>
      </div>
      <div className={styles.controls}>
        <IconButton label={text.zoomIn} icon={<Plus />} onPress={() => zoom(zoomStep)} />
        <IconButton label={text.zoomOut} icon={<Minus />} onPress={() => zoom(1 / zoomStep)} />
        <IconButton label={text.showAll} icon={<Maximize />} onPress={fit} />
      </div>
    </div>
  );
}
