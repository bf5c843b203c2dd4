import type { ReactNode } from 'react';
import { CircleCheck, CircleDashed, Droplets, type Icon, Lightbulb, Wind, Zap } from './icons.tsx';

/** Returns a picture in the size and the strokes of the icons. */
const drawn =
  (shapes: ReactNode): Icon =>
  ({ size = 24, ...props }) => (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      {...props}
    >
      {shapes}
    </svg>
  );

const seed = (x: number, y: number) => (
  <circle key={`${x} ${y}`} cx={x} cy={y} r="0.9" fill="currentColor" stroke="none" />
);

/** The body with which the robot holds a tool. */
const head = <rect x="8" y="2" width="8" height="6" rx="1.5" />;

/** Pictures of the types of tools, peripherals and sensors, by their values. */
export const equipmentPictures: Readonly<Record<string, Icon>> = {
  none: CircleDashed,
  rotary_tool: drawn(
    <>
      {head}
      <path d="M12 8v8M4 17h16" />
      <path d="M4 17l2.5-2M20 17l-2.5-2M4 17l2.5 2M20 17l-2.5 2" />
    </>,
  ),
  seed_bin: drawn(
    <>
      <path d="M3 10h18l-2.5 10h-13z" />
      {[seed(9, 14), seed(12, 13), seed(15, 14), seed(10.5, 17), seed(13.5, 17)]}
      <path d="M8 6.5l1 .8M12 5v1.4M16 6.5l-1 .8" />
    </>,
  ),
  seed_tray: drawn(
    <>
      <rect x="3" y="3" width="18" height="18" rx="2" />
      {[7.5, 12, 16.5].flatMap((y) =>
        [7.5, 12, 16.5].map((x) => <circle key={`${x} ${y}`} cx={x} cy={y} r="1.3" strokeWidth={1.25} />),
      )}
    </>,
  ),
  seed_trough: drawn(
    <>
      <path d="M2 10h20l-2 8H4z" />
      {[seed(7, 13.5), seed(10.3, 14.5), seed(13.7, 13.5), seed(17, 14.5)]}
    </>,
  ),
  seeder: drawn(
    <>
      {head}
      <path d="M9.5 8l1.3 4h2.4l1.3-4M12 12v6" />
      <ellipse cx="12" cy="20.6" rx="1.8" ry="1.2" fill="currentColor" stroke="none" />
    </>,
  ),
  soil_sensor: drawn(
    <>
      {head}
      <path d="M10 8v11l.8 2M14 8v11l-.8 2M2 14h4.5M17.5 14H22M4 18h1.5M18.5 18H20" />
    </>,
  ),
  watering_nozzle: drawn(
    <>
      <path d="M10 2h4v4h-4zM10 6l-4 5h12l-4-5" />
      <path d="M8 14.5v1.5M12 14.5v1.5M16 14.5v1.5M10 18.5V20M14 18.5V20" />
    </>,
  ),
  weeder: drawn(
    <>
      {head}
      <path d="M12 8v4M6 12h12M6 12v6.5l1.5 2M12 12v8.5M18 12v6.5l-1.5 2" />
    </>,
  ),
  lighting: Lightbulb,
  vacuum: Wind,
  water: Droplets,
  soil_moisture: Droplets,
  tool_verification: CircleCheck,
  current: Zap,
};
