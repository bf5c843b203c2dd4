import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { Option } from 'commander';
import { errorCodeText } from '../core/system.ts';
import { EnvFileError, parseEnvFile } from '../settings/env-file.ts';
import { nearestName } from '../settings/misspellings.ts';
import type { Setting } from '../settings/setting.ts';
import { valueText } from '../settings/setting.ts';
import type { Environment, Settings } from '../settings/settings.ts';
import { allSettings, groupedSettings, readSettings, variableText } from '../settings/settings.ts';
import { printable, UsageError } from './terminal.ts';

/** Flags of every command; commands that serve or check have one for each setting. */
const commonSettings = ['DATA_DIR', 'DATABASE_URL'];

/** Returns the settings of a flag. */
type ReadValue = () => string;

/** The settings by the flags of this process, by name. */
let given = new Map<string, ReadValue>();

/** The settings of the files that this process was given. */
let inFiles: Environment = {};

/** Returns the environment with the files and the flags of the command, which override it in this order. Throws UsageError. */
export const commandEnvironment = (): Environment => ({
  ...process.env,
  ...inFiles,
  ...Object.fromEntries([...given].map(([name, read]) => [name, read()])),
});

/** Whether unexpected errors are printed with their stack, also when other settings are invalid. */
export const isDetailed = (): boolean =>
  ['debug', 'trace'].includes(given.get('LOG_LEVEL')?.() ?? inFiles.LOG_LEVEL ?? process.env.LOG_LEVEL ?? '');

/** Reads the settings of a command: its flags, else the files, else the environment, else the defaults. Throws SettingsError. */
export const commandSettings = (): Settings => readSettings(commandEnvironment());

/** The source of the value of a setting. */
export type SettingOrigin = 'flag' | 'file' | 'environment' | 'default';

/** Returns the source of a setting. */
export function settingOrigin(name: string): SettingOrigin {
  if (variableText(commandEnvironment(), name) === undefined) return 'default';
  if (given.has(name)) return 'flag';
  return name in inFiles ? 'file' : 'environment';
}

/** The flag of a setting: `--data-dir`. */
export const flagOf = (name: string): string => `--${name.toLowerCase().replaceAll('_', '-')}`;

/** Sets a value once. Its text stays out of the message: it may be secret. */
function give(name: string, read: ReadValue): void {
  if (given.has(name)) throw new UsageError(`${name} is given twice, as ${flagOf(name)} or --set ${name}=….`);
  given.set(name, once(read));
}

/** Reads a value only once: a file may be a pipe, which is empty afterwards. */
function once(read: ReadValue): ReadValue {
  let value: string | undefined;
  return () => {
    value ??= read();
    return value;
  };
}

/** Reads a file of settings. */
function readFileOf(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${name}: the file ${printable(path)} cannot be read (${errorCodeText(error)}).`);
  }
}

/** Adds the settings of a file. Throws UsageError. */
function giveFile(path: string): void {
  const text = readFileOf('--env-file', path);
  try {
    inFiles = { ...inFiles, ...parseEnvFile(text) };
  } catch (error) {
    if (!(error instanceof EnvFileError)) throw error;
    throw new UsageError(`--env-file: ${printable(path)}: ${error.message}`);
  }
}

/** Returns the content of a file for `@file`. Passwords in a command line are visible to all users of the machine. */
export function contentOf(name: string, text: string): string {
  return text.startsWith('@') ? readFileOf(name, text.slice(1)) : text;
}

/** Parses `NAME=VALUE` or `NAME=@FILE`. */
function giveByName(assignment: string): void {
  const [, name = '', text] = /^([^=]*)=(.*)$/s.exec(assignment) ?? [];
  if (text === undefined) throw new UsageError('--set needs NAME=VALUE, for example --set LOG_LEVEL=debug.');
  const names = allSettings().map(([known]) => known);
  if (!names.includes(name)) {
    const meant = nearestName(name, names);
    const hint = meant === null ? 'List the settings with "potager settings".' : `Did you mean ${meant}?`;
    throw new UsageError(`${printable(name)} is not a setting. ${hint}`);
  }
  give(name, () => contentOf(name, text));
}

/** The first sentence of a description, without Markdown, the choices and the default. */
function helpText({ kind, description, defaultValue, isSecret }: Setting<unknown>): string {
  const [sentence = ''] = description.split(/(?<=\.) (?=[A-Z`])/);
  const value = valueText(defaultValue);
  const marks = [
    ...(kind.placeholder === 'word' ? [(kind.choices ?? []).join(', ')] : []),
    ...(value === null ? [] : [`default: ${value}`]),
    ...(isSecret ? ['secret: use @FILE'] : []),
  ];
  return `${sentence.replaceAll('`', '')}${marks.length === 0 ? '' : ` (${marks.join('; ')})`}`;
}

function flagOption(name: string, setting: Setting<unknown>): Option {
  const option = new Option(`${flagOf(name)} <${setting.kind.placeholder}>`, helpText(setting));
  // The value is checked later with the environment's, so that all invalid settings are reported together.
  return option.argParser((text: string) => give(name, () => (setting.isSecret ? contentOf(name, text) : text)));
}

/** Adds the flags that every command has, and removes the flags of earlier command lines. */
export function addCommonFlags(program: Command): void {
  given = new Map();
  inFiles = {};
  for (const [name, setting] of allSettings())
    if (commonSettings.includes(name)) program.addOption(flagOption(name, setting));
  program.addOption(
    new Option(
      '--env-file <path>',
      'A file with settings as lines NAME=VALUE, such as that of the systemd unit; it overrides the environment.',
    ).argParser(giveFile),
  );
  program.addOption(
    new Option(
      '--set <name=value>',
      'Any other setting, repeatable; NAME=@FILE reads the value from a file, since other users of the machine can see command lines.',
    ).argParser(giveByName),
  );
}

/** Adds a flag for every setting to a command, in groups. */
export function addSettingFlags(command: Command): Command {
  for (const [title, settings] of groupedSettings())
    for (const [name, setting] of settings)
      if (!commonSettings.includes(name)) command.addOption(flagOption(name, setting).helpGroup(`${title}:`));
  return command;
}

/** Returns the words that the setting of a flag may have, if there are few. */
export const choicesOfFlag = (flag: string): readonly string[] | undefined =>
  allSettings().find(([name]) => flagOf(name) === flag)?.[1].kind.choices;
