import type { Argument, Command, Option } from 'commander';
import { allSettings } from '../settings/settings.ts';
import { choicesOfFlag } from './setting-flags.ts';

/** The possible continuations of an incomplete command line. */
export interface Completion {
  readonly candidates: readonly Candidate[];
  /** The shell should offer names of files, too. */
  readonly files: boolean;
}

export interface Candidate {
  readonly word: string;
  readonly description: string;
}

const nothing: Completion = { candidates: [], files: false };
const files: Completion = { candidates: [], files: true };

/** Names of values that are files. */
const filePlaceholder = /[<[](file|folder|path)\b/;

/** The hidden command that shells ask for completions. */
export const hiddenCommand = 'complete';

const visible = (command: Command): readonly Command[] => command.createHelp().visibleCommands(command);

/** Options of a command and of the groups that it is in; where no command is named, also the options of `serve`. */
function optionsAt(command: Command): readonly Option[] {
  const help = command.createHelp();
  const server = command.parent ? undefined : command.commands.find((each) => each.name() === 'serve');
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command), ...(server?.options ?? [])];
}

const findOption = (command: Command, flag: string): Option | undefined =>
  optionsAt(command).find(({ long, short }) => long === flag || short === flag);

const words = (choices: readonly string[], description = ''): Completion => ({
  candidates: choices.map((word) => ({ word, description })),
  files: false,
});

/** Values of `--set`: names of settings, or the values of one. */
function assignments(text: string): Completion {
  const [name] = text.split('=');
  const setting = text.includes('=') ? allSettings().find(([known]) => known === name)?.[1] : undefined;
  if (setting) return words((setting.kind.choices ?? []).map((choice) => `${name}=${choice}`));
  const candidates = allSettings().map(([known, { description }]) => ({
    word: `${known}=`,
    description: description.split('. ')[0] ?? '',
  }));
  return { candidates, files: false };
}

/** Values of an option. */
function valuesOf(option: Option, text: string): Completion {
  if (option.long === '--set') return assignments(text);
  const choices = option.argChoices ?? choicesOfFlag(option.long ?? '');
  if (choices) return words(choices);
  return filePlaceholder.test(option.flags) ? files : nothing;
}

const argumentValues = (argument: Argument | undefined): Completion => {
  if (argument?.argChoices) return words(argument.argChoices);
  return argument && filePlaceholder.test(`<${argument.name()}>`) ? files : nothing;
};

/** Returns the place in the program that the words before the incomplete one lead to. */
function placeOf(program: Command, before: readonly string[]) {
  let command = program;
  /** Arguments of the command so far. */
  let operands = 0;
  /** The option whose value is missing. */
  let option: Option | undefined;
  /** After `--` there are no options. */
  let onlyOperands = false;
  /** Flags that were given. */
  const given = new Set<string>();
  for (const word of before) {
    if (option) option = undefined;
    else if (word === '--') onlyOperands = true;
    else if (word.startsWith('-') && !onlyOperands) {
      const [flag = ''] = word.split('=');
      given.add(flag);
      const known = findOption(command, flag);
      option = known?.required && !word.includes('=') ? known : undefined;
    } else {
      const next = operands === 0 ? command.commands.find((each) => each.name() === word) : undefined;
      if (next) command = next;
      else operands++;
    }
  }
  return { command, operands, option, given, onlyOperands };
}

/** Returns the candidates for the last word, which is incomplete or empty. */
export function complete(program: Command, line: readonly string[]): Completion {
  const last = line.at(-1) ?? '';
  const { command, operands, option, given, onlyOperands } = placeOf(program, line.slice(0, -1));
  const startingWith = (found: Completion, prefix = ''): Completion => ({
    ...found,
    candidates: found.candidates
      .map(({ word, description }) => ({ word: prefix + word, description }))
      .filter(({ word }) => word.startsWith(last)),
  });
  if (option) return startingWith(valuesOf(option, last));
  const [flag = '', value] = last.split(/=(.*)/s);
  if (last.startsWith('-') && !onlyOperands) {
    if (value !== undefined) {
      const known = findOption(command, flag);
      return known ? startingWith(valuesOf(known, value), `${flag}=`) : nothing;
    }
    const unused = optionsAt(command).filter(({ long }) => long === '--set' || !given.has(long ?? ''));
    return startingWith({
      candidates: unused.map(({ long, short, description }) => ({ word: long ?? short ?? '', description })),
      files: false,
    });
  }
  if (operands === 0 && command.commands.length > 0)
    return startingWith({
      candidates: visible(command).map((each) => ({ word: each.name(), description: each.description() })),
      files: false,
    });
  return startingWith(argumentValues(command.registeredArguments[operands]));
}
