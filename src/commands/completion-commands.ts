import { Argument, type Command } from 'commander';
import { complete, hiddenCommand } from './completion.ts';
import { completionScripts, filesMark } from './completion-scripts.ts';
import { withExamples } from './examples.ts';
import { print } from './terminal.ts';

/** Adds the command `completion`, and the hidden one that its scripts run. */
export function addCompletionCommands(program: Command): void {
  const completion = program
    .command('completion')
    .description('print a script that completes command lines in a shell')
    .addArgument(new Argument('<shell>', 'your shell').choices(Object.keys(completionScripts)))
    .action((shell: string) => {
      process.stdout.write(completionScripts[shell] ?? '');
    });
  withExamples(
    completion,
    'completion bash > ~/.local/share/bash-completion/completions/potager',
    'completion fish > ~/.config/fish/completions/potager.fish',
  );
  program
    .command(hiddenCommand, { hidden: true })
    .argument('[words...]')
    .action((words: readonly string[]) => {
      const { candidates, files } = complete(program, words);
      for (const { word, description } of candidates) print(`${word}\t${description}`);
      if (files) print(filesMark);
    });
}
