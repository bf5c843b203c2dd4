import type { Bed } from '../data/bed.ts';
import { useRecords } from '../data/collections.ts';
import type { Layer } from '../data/followed-settings.ts';
import { onRobotMessage } from '../data/live.ts';
import { useIsRobotCurrent, useRobotPart } from '../data/robot.ts';
import { isActive, useRun } from '../data/runs.ts';
import { onSession } from '../data/session.ts';
import { useWebAppConfig } from '../data/singles.ts';
import { Store, useStore } from '../ui/store.ts';
import { around, footprintOf } from './camera.ts';
import styles from './layers.module.css';
import { useCalibration } from './photo-layer.tsx';
import { target } from './target.ts';
import { mapText } from './text.ts';

type Place = readonly [x: number, y: number];

/** Positions that the trail shows. */
const maxTrail = 100;
/** The least distance between two of them, in mm. */
const trailStep = 10;

const trail = new Store<readonly Place[]>([]);

const numberAt = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;

onRobotMessage('status', (message) => {
  const position = numberAt(message.location_data, 'position');
  const [x, y] = [numberAt(position, 'x'), numberAt(position, 'y')];
  if (typeof x !== 'number' || typeof y !== 'number') return;
  const [lastX = Number.POSITIVE_INFINITY, lastY = 0] = trail.get().at(-1) ?? [];
  if (Math.hypot(x - lastX, y - lastY) >= trailStep) trail.set([...trail.get().slice(1 - maxTrail), [x, y]]);
});
onSession(() => trail.set([]));

/** The trail of the robot since the page was opened. */
function Trail({ bed }: { readonly bed: Bed }) {
  const places = useStore(trail);
  return <polyline className={styles.trail} points={places.map((place) => bed.toScreen(...place).join()).join(' ')} />;
}

/** The area of photos from a place, cut as the settings say, and with it the camera's whole view; nothing without its calibration. */
function CameraView({ bed, x, y }: { readonly bed: Bed; readonly x: number; readonly y: number }) {
  const { crop_images: isCut, show_uncropped_camera_view_area: isWholeShown } = useWebAppConfig();
  const { transform, photo, turn, cut, isToScale } = footprintOf(useCalibration(), bed, { x, y });
  const text = mapText();
  if (!isToScale) return null;
  const named = (label: string) => ({ role: 'img', 'aria-label': label });
  const whole = { ...around(photo), transform: `rotate(${turn})` };
  return (
    <g transform={transform}>
      <rect
        className={styles.camera}
        {...(isCut ? around(cut) : whole)}
        {...named(text.layers.show_camera_view_area)}
      />
      {isCut && isWholeShown ? <rect className={styles.uncut} {...whole} {...named(text.wholeCameraView)} /> : null}
    </g>
  );
}

/** Returns the place to which a run over several places leads the robot; null without one. */
function usePlaceOfRun(): Place | null {
  const run = useRun();
  const point = useRecords('points').find(({ id }) => id === run?.point_id);
  return run && isActive(run) && point ? [point.x, point.y] : null;
}

/** The robot with its gantry, its target and its track. An outdated position is shown as such. */
export function RobotLayer({ bed, shown }: { readonly bed: Bed; readonly shown: (layer: Layer) => boolean }) {
  const position = useRobotPart(({ status }) => status?.position);
  const isCurrent = useIsRobotCurrent();
  const commanded = useStore(target);
  const goal = usePlaceOfRun() ?? commanded;
  const text = mapText();
  if (position?.x == null || position.y == null) return null;
  const [x, y] = bed.toScreen(position.x, position.y);
  const label = (isCurrent ? text.robotAt : text.robotLastAt)(Math.round(position.x), Math.round(position.y));
  const [gantryEndX, gantryEndY] = bed.toScreen(position.x, position.y + 1);
  const isGantryDown = gantryEndX === x && gantryEndY !== y;
  return (
    <>
      {shown('display_trail') ? <Trail bed={bed} /> : null}
      {shown('show_camera_view_area') && isCurrent ? <CameraView bed={bed} x={position.x} y={position.y} /> : null}
      {goal && isCurrent ? <Target bed={bed} from={[x, y]} to={goal} /> : null}
      <g className={isCurrent ? styles.robot : styles.robotAway} role="img" aria-label={label}>
        {isGantryDown ? <line x1={x} x2={x} y1={0} y2={bed.height} /> : <line x1={0} x2={bed.width} y1={y} y2={y} />}
        <circle cx={x} cy={y} r={36} />
        {isCurrent ? null : (
          <text x={x} y={y - 60} fontSize={56}>
            {label}
          </text>
        )}
      </g>
    </>
  );
}

function Target({ bed, from, to }: { readonly bed: Bed; readonly from: Place; readonly to: Place }) {
  const [x, y] = bed.toScreen(...to);
  return (
    <g className={styles.target}>
      <line x1={from[0]} y1={from[1]} x2={x} y2={y} />
      <circle cx={x} cy={y} r={30} />
    </g>
  );
}
