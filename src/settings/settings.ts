import { resolve } from 'node:path';
import { declarations } from './declarations.ts';
import { misspellings } from './misspellings.ts';
import type { Setting, ValueOf } from './setting.ts';

type Declarations = typeof declarations;

export type SettingName = keyof Declarations;

/** The values of all settings, under the names of their variables. `DATA_DIR` is absolute. */
export type Settings = { readonly [Name in SettingName]: ValueOf<Declarations[Name]> };

/** Variables by name, `process.env` for one. An empty one counts as unset. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Thrown for bad settings, all of them at once. Holds no value of a secret. */
export class SettingsError extends Error {
  /** The name of each bad setting with a sentence. */
  readonly problems: readonly { readonly name: string; readonly sentence: string }[];

  constructor(problems: SettingsError['problems']) {
    super(problems.map(({ sentence }) => sentence).join('\n'));
    this.name = 'SettingsError';
    this.problems = problems;
  }
}

/** All settings with their names, in the order of the documentation. */
export const allSettings = (): readonly (readonly [string, Setting<unknown>])[] => Object.entries(declarations);

const longest = 4096;

/** The text of a variable; undefined when it is unset. Compose files and shells set variables to nothing for "unset". */
function written(environment: Environment, name: string): string | undefined {
  const text = environment[name]?.trim();
  return text === '' ? undefined : text;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: this is what it looks for
const controlCharacters = /[\u0000-\u001f\u007f]/;

/** What a bad value looks like in an error. Addresses may hold passwords even where none belongs. */
const shown = (text: string, { isSecret }: Setting<unknown>): string =>
  isSecret || text.includes('://') || text.length > 80 ? '' : `, not ${JSON.stringify(text)}`;

/** Settings that need each other. */
const pairs = [['TLS_CERT', 'TLS_KEY']] as const satisfies readonly (readonly [SettingName, SettingName])[];

/** What is missing of pairs of which one half is set. */
function halves(environment: Environment): { name: string; sentence: string }[] {
  return pairs.flatMap(([one, other]) => {
    const missing = [one, other].filter((name) => written(environment, name) === undefined);
    if (missing.length !== 1) return [];
    const [name = one] = missing;
    const present = name === one ? other : one;
    return [{ name, sentence: `${name} must be set too, because ${present} is.` }];
  });
}

/** Reads all settings. Throws a {@link SettingsError} that names every bad one. */
export function readSettings(environment: Environment): Settings {
  const problems: { name: string; sentence: string }[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, setting] of allSettings()) {
    const text = written(environment, name);
    values[name] = setting.fallback;
    if (text === undefined) continue;
    const isText = text.length <= longest && !controlCharacters.test(text);
    const value = isText ? setting.kind.read(text) : undefined;
    if (value === undefined)
      problems.push({ name, sentence: `${name} must be ${setting.kind.values}${shown(text, setting)}.` });
    else values[name] = value;
  }
  problems.push(...halves(environment));
  if (problems.length > 0) throw new SettingsError(problems);
  // The declarations' own types are those of the values that their kinds read.
  const settings = values as Settings;
  return { ...settings, DATA_DIR: resolve(settings.DATA_DIR) };
}

/** What an operator should be told at start, one line each: names that are probably misspelled. */
export function settingWarnings(environment: Environment): readonly string[] {
  const isSet = (name: string) => written(environment, name) !== undefined;
  const names = allSettings().map(([name]) => name);
  return misspellings(Object.keys(environment).filter(isSet), names).map(
    ({ name, meant }) => `${name} is not a setting. Did you mean ${meant}?`,
  );
}
