import { Store, useStore } from '../ui/store.ts';
import { showProblem, showToast } from '../ui/toasts.tsx';
import { api, bodyOf } from './api.ts';
import { explanationInWords } from './explanation.ts';
import type { components } from './generated/api.ts';
import { onSession } from './session.ts';
import { dataText } from './text.ts';

/** A step, several steps, or a sequence with values of its variables. */
export type RobotProgram = components['schemas']['Command']['program'];
export type CommandResult = components['schemas']['CommandResult'];

/** A command of this page. */
export interface SentCommand {
  readonly id: number;
  /** Its description. */
  readonly name: string;
  /** Null while the robot runs it. */
  readonly result: CommandResult | null;
}

/** How long the server waits for the robot, in seconds: the longest that it allows. */
const maxWait = 120;

const commands = new Store<readonly SentCommand[]>([]);
let nextId = 1;

const sentenceOf = (name: string, { status, explanation }: CommandResult): string =>
  dataText().commandEnded[status](name, explanation ?? '');

/** Runs a program on the robot. Resolves with its response, whose explanation is translated. Throws an ApiError. */
export async function sendProgram(program: RobotProgram): Promise<CommandResult> {
  const result = await bodyOf(api.POST('/api/commands', { body: { program, wait: maxWait } }));
  return { ...result, explanation: await explanationInWords(result.explanation) };
}

/**
 * Runs a program on the robot, and shows an error. Resolves with the robot's response; null if the server refused the program.
 * `name` describes it: "Move to (100, 200, 0)".
 */
export async function runCommand(name: string, program: RobotProgram): Promise<CommandResult | null> {
  const id = nextId++;
  // Removes the commands that ended before.
  commands.set([...commands.get().filter(({ result }) => result === null), { id, name, result: null }]);
  try {
    const result = await sendProgram(program);
    commands.set(commands.get().map((command) => (command.id === id ? { ...command, result } : command)));
    if (result.status !== 'ok') showToast({ text: sentenceOf(name, result), tone: 'problem' });
    return result;
  } catch (error) {
    commands.set(commands.get().filter((command) => command.id !== id));
    showProblem(error);
    return null;
  }
}

onSession(() => commands.set([]));

/** Returns the commands of this page that the robot runs, and the last one that ended. */
export const useCommands = (): readonly SentCommand[] => useStore(commands);

/** Returns the outcome of a command as text. */
export const commandSentence = ({ name, result }: SentCommand): string =>
  result ? sentenceOf(name, result) : dataText().commandRuns(name);
