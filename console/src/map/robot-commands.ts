import { type RobotProgram, sendProgram } from '../data/commands.ts';
import { target } from './target.ts';

const numeric = (number: number) => ({ kind: 'numeric', args: { number } }) as const;

/** A step that goes over a place in mm, at a safe height. */
export const moveOver = (x: number, y: number): Extract<RobotProgram, { kind: 'move' }> => ({
  kind: 'move',
  args: {},
  body: [
    { kind: 'axis_overwrite', args: { axis: 'x', axis_operand: numeric(x) } },
    { kind: 'axis_overwrite', args: { axis: 'y', axis_operand: numeric(y) } },
    { kind: 'safe_z', args: {} },
  ],
});

/** Runs a program that goes to a place, which the map shows as the target meanwhile. Throws an Error with the message of the robot or the server. */
export async function runAt(x: number, y: number, program: RobotProgram): Promise<void> {
  target.set([x, y]);
  try {
    const { status, explanation } = await sendProgram(program);
    if (status !== 'ok') throw new Error(explanation ?? status);
  } finally {
    target.set(null);
  }
}
