/** One instruction of a stage. */
export interface Instruction {
  readonly name: string;
  readonly value: string;
}

/** A stage of a Containerfile. */
export interface Stage {
  /** The image in `FROM`. */
  readonly image: string;
  /** The name after `AS`, or null. */
  readonly name: string | null;
  readonly instructions: readonly Instruction[];
}

/** Parses a Containerfile. Throws if it does not begin with a stage. */
export function parseContainerfile(text: string): readonly Stage[] {
  const lines = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages: { image: string; name: string | null; instructions: Instruction[] }[] = [];
  for (const line of lines) {
    const [, name = '', value = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    if (name === 'FROM') {
      const [image = '', , alias = null] = value.split(/\s+/);
      stages.push({ image, name: alias, instructions: [] });
    } else {
      const stage = stages.at(-1);
      if (!stage) throw new Error(`${line}: before the first stage`);
      stage.instructions.push({ name, value });
    }
  }
  return stages;
}

/** Returns the words of a command in exec form. Throws if it is in shell form: a shell would get the signals instead of the program. */
export function execForm(command: string): readonly string[] {
  const words: unknown = JSON.parse(command);
  if (!Array.isArray(words)) throw new Error(`not in exec form: ${command}`);
  return words.map(String);
}
