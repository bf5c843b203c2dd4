import { api, bodyOf } from '../data/api.ts';
import type { components } from '../data/generated/api.ts';
import { setTarget } from './target.ts';

export type Program = components['schemas']['Command']['program'];

/** The longest that the server waits for the robot, in seconds. */
const maxWait = 120;

/** Runs a program on the robot, and waits until it has finished. Throws an Error with the message of the robot or the server. */
export async function runProgram(program: Program): Promise<void> {
  const { status, explanation } = await bodyOf(api.POST('/api/commands', { body: { program, wait: maxWait } }));
  if (status !== 'ok') throw new Error(explanation ?? status);
}

const numeric = (number: number) => ({ kind: 'numeric', args: { number } }) as const;

/** A step that goes over a place in mm, at a safe height. */
export const moveOver = (x: number, y: number): Extract<Program, { kind: 'move' }> => ({
  kind: 'move',
  args: {},
  body: [
    { kind: 'axis_overwrite', args: { axis: 'x', axis_operand: numeric(x) } },
    { kind: 'axis_overwrite', args: { axis: 'y', axis_operand: numeric(y) } },
    { kind: 'safe_z', args: {} },
  ],
});

/** Runs a program that goes to a place, which the map shows as the target meanwhile. Throws like {@link runProgram}. */
export async function runAt(x: number, y: number, program: Program): Promise<void> {
  setTarget([x, y]);
  try {
    await runProgram(program);
  } finally {
    setTarget(null);
  }
}
