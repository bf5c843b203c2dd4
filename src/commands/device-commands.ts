import type { Command } from 'commander';
import { withOperations } from './database-session.ts';
import { withExamples } from './examples.ts';
import { print, printable, UsageError, unknownUser, wholeNumber } from './terminal.ts';

interface LimitOptions {
  readonly points?: number;
  readonly steps?: number;
  readonly sequences?: number;
  readonly logs?: number;
  readonly photos?: number;
}

async function setLimits(email: string, limits: LimitOptions): Promise<void> {
  const changed = Object.entries(limits).map(([name, value]) => `${name} ${value}`);
  if (changed.length === 0)
    throw new UsageError('No limit was given: use --points, --steps, --sequences, --logs or --photos.');
  // 0 stands for the default of the server.
  const changes = Object.fromEntries(Object.entries(limits).map(([name, value]) => [name, value === 0 ? null : value]));
  const isKnown = await withOperations('devices', (devices) => devices.setLimits(email, changes));
  if (!isKnown) throw unknownUser(email);
  print(`Changed the limits of ${printable(email)}: ${changed.join(', ')}.`);
}

/** Adds the commands for devices. */
export function addDeviceCommands(program: Command): void {
  const device = program.command('device').description('manage robots');
  const setLimitsCommand = device
    .command('set-limits')
    .description('change the limits of the robot of an account')
    .argument('<email>')
    .option('--points <number>', 'maximum number of points (0: default)', wholeNumber(0, 5000))
    .option('--steps <number>', 'maximum steps per sequence (0: default)', wholeNumber(0, 10_000))
    .option('--sequences <number>', 'maximum number of sequences (0: default)', wholeNumber(0, 100_000))
    .option('--logs <number>', 'maximum number of logs kept', wholeNumber(1, 1_000_000))
    .option('--photos <number>', 'maximum number of photos listed', wholeNumber(1, 1_000_000))
    .action(setLimits);
  withExamples(
    setLimitsCommand,
    'device set-limits ada@example.com --photos 1000',
    'device set-limits ada@example.com --steps 0 --sequences 200 --points 2000',
  );
}
