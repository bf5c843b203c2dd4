/** A line of a file of settings that cannot be read. The message has no part of it: it may be secret. */
export class EnvFileError extends Error {
  constructor(line: number, problem: string) {
    super(`line ${line} ${problem}`);
  }
}

/** Characters that a backslash escapes between double quotes. */
const escapable = '"\\$`';

/**
 * Returns the value after `=`, as `EnvironmentFile=` of systemd reads it: a quote opens at the beginning and after another quoted part, elsewhere
 * it is a part of the value, like `#`.
 */
function parseValue(text: string, line: number): string {
  let value = '';
  let quote = '';
  let mayOpen = true;
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    const next = text.charAt(i + 1);
    if (quote === '' && mayOpen && /["'\s]/.test(character)) quote = character.trim();
    else if (quote !== '' && character === quote) quote = '';
    else {
      const isEscape = character === '\\' && quote !== "'" && next !== '' && (quote === '' || escapable.includes(next));
      value += isEscape ? next : character;
      if (isEscape) i++;
      mayOpen = quote !== '';
    }
  }
  if (quote !== '') throw new EnvFileError(line, `has no closing ${quote}.`);
  return value;
}

/** Parses a file of settings: `NAME=value` lines, comments that begin with `#` or `;`, and `export` before names for shells. Throws {@link EnvFileError}. */
export function parseEnvFile(text: string): Readonly<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const [index, each] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    const line = each.trim();
    if (line === '' || /^[#;]/.test(line)) continue;
    const [, name, value] = /^(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new EnvFileError(index + 1, 'is not NAME=VALUE.');
    values[name] = parseValue(value, index + 1);
  }
  return values;
}
