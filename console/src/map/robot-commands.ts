import { type RobotProgram, sendProgram } from '../data/commands.ts';
import { WordedError } from '../ui/error-message.ts';
import { target } from './target.ts';

const numeric = (number: number) => ({ kind: 'numeric', args: { number } }) as const;

const axes = ['x', 'y', 'z'] as const;

/** Coordinates in mm. */
export type Coordinates = Readonly<Record<(typeof axes)[number], number>>;

/** A step that moves some axes to coordinates in mm, across the bed at a safe height. */
export function moveTo(coordinates: Partial<Coordinates>): Extract<RobotProgram, { kind: 'move' }> {
  const moved = axes.flatMap((axis) => {
    const number = coordinates[axis];
    return number === undefined ? [] : [{ axis, axis_operand: numeric(number) }];
  });
  const isAcross = moved.some(({ axis }) => axis !== 'z');
  return {
    kind: 'move',
    args: {},
    body: [
      ...moved.map((args) => ({ kind: 'axis_overwrite' as const, args })),
      ...(isAcross ? [{ kind: 'safe_z' as const, args: {} }] : []),
    ],
  };
}

/** Returns the coordinates of the axes that the settings name, such as `XY`. */
export const coordinatesOf = (place: Coordinates, names: string): Partial<Coordinates> =>
  Object.fromEntries(axes.filter((axis) => names.includes(axis.toUpperCase())).map((axis) => [axis, place[axis]]));

/** Runs a program that goes to a place, which the map shows as the target. Throws a WordedError with the message of the robot or the server. */
export async function runAt(x: number, y: number, program: RobotProgram): Promise<void> {
  target.set([x, y]);
  try {
    const { status, explanation } = await sendProgram(program);
    if (status !== 'ok') throw new WordedError(explanation ?? status);
  } finally {
    target.set(null);
  }
}
