import type { Setting } from './setting.ts';
import { allSettings } from './settings.ts';

const code = (text: string): string => `\`${text}\``;

function fallback(value: unknown): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return 'unset';
  return code(typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value));
}

const row = ([name, { kind, fallback: value, about, isSecret }]: readonly [string, Setting<unknown>]): string =>
  `| ${[code(name), kind.values, fallback(value), isSecret ? `${about} Secret.` : about].join(' | ')} |`;

const tableOf = (settings: readonly (readonly [string, Setting<unknown>])[]): string =>
  ['| Name | Value | Default | What it does |', '|---|---|---|---|', ...settings.map(row)].join('\n');

/** The page `docs/settings.md`. */
export function settingsPage(): string {
  return `# Settings

<!-- Written by \`npm run docs\` from src/settings/declarations.ts. -->

Settings are environment variables. All of them are optional: with none set, \`npm start\` keeps its data in \`./data\` and
answers on port 3000. An empty variable counts as unset. The server refuses to start with a bad value and names every bad
one at once; a name that looks like a misspelled setting gets a warning in the log.

${tableOf(allSettings())}
`;
}
