import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

export const repository = resolve(import.meta.dirname, '../../..');

/** Reads a file of the folder `deploy`. */
export const deployedFile = (name: string): string => readFileSync(resolve(repository, 'deploy', name), 'utf8');

/** The domain in the files of `deploy`, for which the tests' certificate is valid. */
export const domain = 'garden.example';

/** Returns `text` with every occurrence of the keys replaced. Throws if one does not occur. */
export function rewrite(text: string, replacements: Readonly<Record<string, string>>): string {
  let result = text;
  for (const [from, to] of Object.entries(replacements)) {
    if (!result.includes(from)) throw new Error(`${from} is not in the file`);
    result = result.replaceAll(from, to);
  }
  return result;
}

/** Returns the variables of a file for systemd's `EnvironmentFile`. */
export function parseSettings(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

/** Returns the values of a name in a systemd unit, in order. */
export const unitValues = (unit: string, name: string): string[] =>
  unit.split('\n').flatMap((line) => (line.startsWith(`${name}=`) ? [line.slice(name.length + 1)] : []));
