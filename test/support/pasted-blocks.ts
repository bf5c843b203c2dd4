import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** Returns the blocks of a document of the repository in a language, in order. */
export function codeBlocks(page: string, language: string): string[] {
  const text = readFileSync(resolve(import.meta.dirname, '../..', page), 'utf8');
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, each, block = '']) =>
    each === language ? [block] : [],
  );
}

/** Returns the shell blocks of a document of the repository, in order. */
export const shellBlocks = (page: string): string[] => codeBlocks(page, 'sh');

/** Returns the scripts of a document in a language by their names, which are comments in their first lines. */
export const scriptsIn = (page: string, language: string): ReadonlyMap<string, string> =>
  new Map(
    codeBlocks(page, language).map((code) => {
      const [, name] = /^(?:\/\/|#) (\S+)\n/.exec(code) ?? [];
      if (name === undefined) throw new Error(`no name: ${code}`);
      return [name, code];
    }),
  );

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) if (child.pid) process.kill(-child.pid, 'SIGKILL');
});

/** The terminal for pasted blocks: a folder, and an environment of its own. */
export interface TerminalOptions {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A terminal into which a user pastes blocks. Variables and functions of a block are known to the next ones. */
export class Terminal {
  readonly #shell: ChildProcess;
  #output = '';
  #wake: () => void = () => undefined;
  #pasted = 0;

  constructor({ folder, env }: TerminalOptions) {
    this.#shell = spawn('bash', ['--noprofile', '--norc'], { cwd: folder, env, stdio: 'pipe', detached: true });
    running.add(this.#shell);
    const end = new Promise<void>((settle) => {
      this.#shell.once('close', () => {
        running.delete(this.#shell);
        settle();
      });
    });
    this.ended = end.then(() => this.#wake());
    for (const stream of [this.#shell.stdout, this.#shell.stderr])
      stream?.setEncoding('utf8').on('data', (part: string) => {
        this.#output += part;
        this.#wake();
      });
  }

  /** Resolves when the shell and all of its programs have ended. */
  readonly ended: Promise<void>;

  /** Pastes commands, and returns their output when the last one has ended. Throws if it fails. */
  async paste(commands: string): Promise<string> {
    const begin = this.#output.length;
    const mark = `pasted ${++this.#pasted} with code `;
    // Standard input is the shell's: a command must not read the commands after it.
    this.#shell.stdin?.write(`{\n${commands}\n} </dev/null\nprintf '\\n${mark}%s\\n' $?\n`);
    const pattern = new RegExp(`\n${mark}(\\d+)\n`);
    const output = await this.#until((text) => pattern.test(text), begin);
    const [printed = ''] = output.split(`\n${mark}`);
    if (pattern.exec(output)?.[1] !== '0') throw new Error(`${commands}\nfailed:\n${printed}`);
    return printed;
  }

  /** Pastes a command that goes on, and returns its output when this includes a text. Throws if the shell ends before. */
  async start(command: string, text: RegExp): Promise<string> {
    const begin = this.#output.length;
    this.#shell.stdin?.write(`${command}\nexit\n`);
    return this.#until((output) => text.test(output), begin);
  }

  /** Everything that was printed. */
  get printed(): string {
    return this.#output;
  }

  /** Stops the program in the terminal with SIGTERM, and closes it. */
  async close(): Promise<void> {
    const { pid } = this.#shell;
    if (running.has(this.#shell) && pid) process.kill(-pid, 'SIGTERM');
    await this.ended;
  }

  async #until(isDone: (output: string) => boolean, begin: number): Promise<string> {
    for (;;) {
      const output = this.#output.slice(begin);
      if (isDone(output)) return output;
      if (!running.has(this.#shell)) throw new Error(`the terminal was closed:\n${output}`);
      await new Promise<void>((settle) => {
        this.#wake = settle;
      });
    }
  }
}
