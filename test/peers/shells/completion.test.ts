import { execFile } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completionScripts } from '../../../src/commands/completion-scripts.ts';
import { prepareServer, program, type ServerProcess } from '../../support/servers.ts';

const run = promisify(execFile);

/** Lines that a user has typed, as bash splits them, and the candidates. `files`: names of files. */
const lines: readonly (readonly [line: string, bashWords: readonly string[], offered: readonly string[] | 'files'])[] =
  [
    ['potager us', ['us'], ['user']],
    ['potager completion ', ['completion', ''], ['bash', 'fish', 'zsh']],
    ['potager serve --sign-up=c', ['serve', '--sign-up', '=', 'c'], ['closed']],
    ['potager --set LOG_L', ['--set', 'LOG_L'], ['LOG_LEVEL=']],
    ['potager --set METRICS=o', ['--set', 'METRICS', '=', 'o'], ['off', 'on']],
    ['potager --public-url http://x --sign-up o', ['--public-url', 'http', ':', '//x', '--sign-up', 'o'], ['open']],
    ['potager restore ', ['restore', ''], 'files'],
  ];

describe('completion in a shell', () => {
  let server: ServerProcess;
  beforeAll(async () => {
    server = await prepareServer('sqlite');
    const command = join(server.folder, 'potager');
    await writeFile(command, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
    await chmod(command, 0o755);
  });
  afterAll(() => server.remove());

  /** Loads the script of a shell, runs commands in it, and returns the lines of its output. */
  async function inShell(shell: string, options: readonly string[], commands: string): Promise<string[]> {
    const { stdout } = await server.run(['completion', shell]);
    expect(stdout).toBe(completionScripts[shell]);
    await writeFile(join(server.folder, 'script'), stdout);
    const env = { PATH: `${server.folder}${delimiter}${process.env.PATH}`, HOME: server.folder };
    const result = await run(shell, [...options, '-c', commands], { cwd: server.folder, env });
    expect(result.stderr).toBe('');
    return result.stdout.split('\n').filter((line) => line !== '');
  }

  const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(' ');

  /** The rest of each candidate, which bash inserts. */
  const rest = (candidates: readonly string[]) => candidates.map((each) => each.replace(/^.+=(?=.)/, '')).sort();

  it.each(lines)('bash: %s', async (line, words, offered) => {
    const harness = `compopt() { [[ $2 != default ]] || echo files; }; source ./script
      COMP_WORDS=(potager ${quoted(words)}); COMP_CWORD=${words.length}; COMP_LINE='${line}'
      _potager; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const found = await inShell('bash', ['--norc'], harness);
    expect(offered === 'files' ? found : found.sort()).toEqual(offered === 'files' ? ['files'] : offered);
  });

  it.each(lines)('zsh: %s', async (line, _words, offered) => {
    const words = line.split(' ');
    const harness = `compdef() { : }; _describe() { print -l -- "\${(@P)2}" }; _files() { print files }
      source ./script; words=(${quoted(words)}); CURRENT=${words.length}; _potager; true`;
    const found = (await inShell('zsh', ['-f'], harness)).map((each) => each.replace(/:.*/, ''));
    expect(offered === 'files' ? found : rest(found)).toEqual(offered === 'files' ? ['files'] : offered);
  });

  it.each(lines)('fish: %s', async (line, _words, offered) => {
    const found = await inShell('fish', ['--no-config'], `source ./script; complete -C '${line}'`);
    const candidates = found.map((each) => each.replace(/\t.*/, ''));
    if (offered === 'files') expect(candidates).toContain('potager');
    else expect(rest(candidates)).toEqual(offered);
  });
});
