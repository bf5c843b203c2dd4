import { nodesOf, type ProgramNode } from './node.ts';

/** A use of a program. `id`: the id of the program, regimen, event or pin binding. */
export interface Use {
  readonly by: 'program' | 'regimen' | 'event' | 'button' | 'start';
  readonly id: number;
  /** Its name, or the number of the pin; empty where there is none. */
  readonly name: string;
}

/** The records that may run programs. */
export interface Users {
  readonly programs: readonly { readonly id: number; readonly name: string; readonly body: readonly ProgramNode[] }[];
  readonly regimens: readonly {
    readonly id: number;
    readonly name: string;
    readonly regimen_items: readonly { readonly sequence_id: number }[];
  }[];
  readonly events: readonly {
    readonly id: number;
    readonly executable_type: string;
    readonly executable_id: number;
  }[];
  readonly buttons: readonly { readonly id: number; readonly sequence_id: number | null; readonly pin_num: number }[];
  /** The program that runs when the robot starts. */
  readonly startProgram: number | null;
}

/** The ids of the programs that these steps run. */
const calledPrograms = (body: readonly ProgramNode[]): ReadonlySet<number> =>
  new Set(
    body.flatMap((step) =>
      [...nodesOf(step)].flatMap(({ kind, args }) =>
        kind === 'execute' && typeof args.sequence_id === 'number' ? [args.sequence_id] : [],
      ),
    ),
  );

/** Returns the users of each program, by its id. A program that only runs itself is not in use. */
export function usesOf({ programs, regimens, events, buttons, startProgram }: Users): ReadonlyMap<number, Use[]> {
  const uses = new Map<number, Use[]>();
  const add = (id: number, use: Use): void => {
    const list = uses.get(id);
    if (list) list.push(use);
    else uses.set(id, [use]);
  };
  for (const { id, name, body } of programs)
    for (const called of calledPrograms(body)) if (called !== id) add(called, { by: 'program', id, name });
  for (const { id, name, regimen_items } of regimens)
    for (const sequence of new Set(regimen_items.map(({ sequence_id }) => sequence_id)))
      add(sequence, { by: 'regimen', id, name });
  for (const { id, executable_type, executable_id } of events)
    if (executable_type === 'Sequence') add(executable_id, { by: 'event', id, name: '' });
  for (const { id, sequence_id, pin_num } of buttons)
    if (sequence_id !== null) add(sequence_id, { by: 'button', id, name: String(pin_num) });
  if (startProgram !== null) add(startProgram, { by: 'start', id: startProgram, name: '' });
  return uses;
}
