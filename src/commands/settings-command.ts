import type { Command } from 'commander';
import { systemClock } from '../core/clock.ts';
import { FreeSpace } from '../core/free-space.ts';
import { derivedSettings } from '../settings/derived-settings.ts';
import { valueText } from '../settings/setting.ts';
import type { Settings } from '../settings/settings.ts';
import { allSettings, settingWarnings } from '../settings/settings.ts';
import { withExamples } from './examples.ts';
import type { ListOptions } from './listing.ts';
import { Listing } from './listing.ts';
import type { SettingOrigin } from './setting-flags.ts';
import { addSettingFlags, commandEnvironment, commandSettings, settingOrigin } from './setting-flags.ts';

interface EffectiveSetting {
  readonly name: string;
  readonly value: string | null;
  readonly source: SettingOrigin | 'derived';
  readonly isSecret: boolean;
}

const listing = new Listing<EffectiveSetting>({
  name: ({ name }) => name,
  value: ({ value, isSecret }) => (isSecret && value !== null ? '(secret)' : value),
  source: ({ source }) => source,
  secret: ({ isSecret }) => isSecret,
});

/** Returns the server's choice where a setting leaves it open. */
function derivedValues(settings: Settings): Readonly<Record<string, unknown>> {
  const freeSpace = new FreeSpace({ minFree: settings.MIN_FREE_BYTES, clock: systemClock });
  const space = freeSpace.spaceOf(settings.DATA_DIR);
  return { ...derivedSettings(settings), MIN_FREE_BYTES: space && Math.round(space.required) };
}

function effectiveSettings(settings: Settings): EffectiveSetting[] {
  const values = new Map<string, unknown>(Object.entries(settings));
  const derived = derivedValues(settings);
  return allSettings().map(([name, { isSecret }]) => {
    const value = valueText(values.get(name));
    const inEffect = name in derived ? valueText(derived[name]) : value;
    return { name, value: inEffect, source: inEffect === value ? settingOrigin(name) : 'derived', isSecret };
  });
}

function showSettings(options: ListOptions): void {
  listing.print(effectiveSettings(commandSettings()), options);
  for (const warning of settingWarnings(commandEnvironment())) process.stderr.write(`Note: ${warning}\n`);
}

/** Adds the command `settings`. */
export function addSettingsCommand(program: Command): void {
  const command = program
    .command('settings')
    .description('show the settings in effect, and where each comes from: flag, file, environment, default, or derived')
    .action(showSettings);
  listing.addTo(command);
  addSettingFlags(command);
  withExamples(command, 'settings', 'settings --json', 'settings --public-url https://garden.example');
}
