import type { components } from '../data/generated/api.ts';
import { useRobotPart } from '../data/robot.ts';
import { useMayWrite } from '../data/singles.ts';

export type Axis = 'x' | 'y' | 'z';
export type AxisChoice = Axis | 'all';
export const axes = ['x', 'y', 'z'] as const;
export type Step = components['schemas']['Step'];

/** Whether the controls are enabled: the user has the right, and a robot is connected and not locked. Suspends. */
export function useIsControllable(): boolean {
  const mayWrite = useMayWrite();
  const isReady = useRobotPart(({ connected, status }) => connected && status?.locked !== true);
  return mayWrite && isReady === true;
}

/** The destination of a movement; omitted axes do not move. */
export interface Destination {
  readonly place: Partial<Readonly<Record<Axis, number>>>;
  /** In percent of the highest. */
  readonly speed: number;
  readonly isSafe: boolean;
}

const numeric = (number: number) => ({ kind: 'numeric' as const, args: { number } });

/** The step that moves to a destination. */
export const moveTo = ({ place, speed, isSafe }: Destination): Step => ({
  kind: 'move',
  args: {},
  body: [
    ...axes.flatMap((axis) => {
      const number = place[axis];
      return number === undefined
        ? []
        : [
            { kind: 'axis_overwrite' as const, args: { axis, axis_operand: numeric(number) } },
            { kind: 'speed_overwrite' as const, args: { axis, speed_setting: numeric(speed) } },
          ];
    }),
    ...(isSafe ? [{ kind: 'safe_z' as const, args: {} }] : []),
  ],
});

/** The step that moves one axis. */
export const moveBy = (axis: Axis, distance: number, speed = 100): Step => ({
  kind: 'move_relative',
  args: { x: 0, y: 0, z: 0, [axis]: distance, speed },
});
