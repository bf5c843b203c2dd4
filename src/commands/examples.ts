import type { Command } from 'commander';

/** Command lines without the name of the program: `user list --json`. */
type Examples = readonly [string, string, ...string[]];

const declared = new WeakMap<Command, Examples>();

/** Declares examples of a command, which its help shows. */
export function withExamples(command: Command, ...examples: Examples): Command {
  declared.set(command, examples);
  return command;
}

/** Returns the examples of a command; a group has the examples of its subcommands. */
export function examplesOf(command: Command): readonly string[] {
  const own = declared.get(command);
  if (own !== undefined) return own;
  const ofChildren = command.commands.map((each) => [...examplesOf(each)]);
  const [first = [], second] = ofChildren;
  return second === undefined ? first : [...first.slice(0, 1), ...second.slice(0, 1)];
}

/** Adds the examples to the help of a program and all its commands. */
export function addExamplesToHelp(program: Command): void {
  const add = (command: Command): void => {
    const lines = () => examplesOf(command).map((example) => `  ${program.name()} ${example}`);
    command.addHelpText('after', () => `\nExamples:\n${lines().join('\n')}`);
    for (const each of command.commands) add(each);
  };
  add(program);
}
