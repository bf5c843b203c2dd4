import { languageLabels, languages } from '../../../src/core/languages.ts';
import { chooseLanguage } from '../data/chosen-language.ts';
import { commandSentence, type RobotProgram, runCommand } from '../data/commands.ts';
import { stopRobot } from '../data/emergency-stop.ts';
import { knownRole } from '../data/stop-socket.ts';
import { Camera, House, Keyboard, Languages, LogOut, OctagonX, Sprout, SunMoon } from '../ui/icons.tsx';
import { getLanguage } from '../ui/language.ts';
import { uiText } from '../ui/text.ts';
import { getThemeChoice, setThemeChoice, type ThemeChoice } from '../ui/theme.ts';
import { showToast } from '../ui/toasts.tsx';
import type { SearchEntry } from './search-entries.ts';
import { searchText } from './search-text.ts';
import { stopText } from './stop-text.ts';
import { shellText } from './text.ts';

/** Sends the robot a command, and shows whether it succeeded, or why not. */
async function run(name: string, program: RobotProgram): Promise<void> {
  const result = await runCommand(name, program);
  if (result?.status === 'ok') showToast({ text: commandSentence({ id: 0, name, result }) });
}

/** Returns THE list of commands of the search. `showShortcuts` opens the list of keys. */
export function searchCommands(showShortcuts: () => void): readonly SearchEntry[] {
  const own = searchText();
  const text = shellText();
  const themes: Readonly<Record<ThemeChoice, string>> = {
    system: text.themeSystem,
    light: text.themeLight,
    dark: text.themeDark,
  };
  const commands: readonly Omit<SearchEntry, 'kind'>[] = [
    { id: 'stop', label: stopText().stopNow, icon: OctagonX, target: stopRobot },
    ...(knownRole() === 'viewer'
      ? []
      : [
          {
            id: 'plant',
            label: own.addPlant,
            icon: Sprout,
            target: { to: '/map', search: { panel: 'plant' } },
          } as const,
          {
            id: 'photo',
            label: own.takePhoto,
            icon: Camera,
            target: () => void run(own.takePhoto, { kind: 'take_photo', args: {} }),
          },
          {
            id: 'home',
            label: own.goHome,
            icon: House,
            target: () => void run(own.goHome, { kind: 'home', args: { axis: 'all', speed: 100 } }),
          },
        ]),
    { id: 'shortcuts', label: own.shortcuts, icon: Keyboard, target: showShortcuts },
    ...(Object.keys(themes) as ThemeChoice[])
      .filter((theme) => theme !== getThemeChoice())
      .map((theme) => ({
        id: `theme ${theme}`,
        label: uiText().pair(text.theme, themes[theme]),
        icon: SunMoon,
        target: () => setThemeChoice(theme),
      })),
    ...languages
      .filter((language) => language !== getLanguage())
      .map((language) => ({
        id: `language ${language}`,
        label: uiText().pair(text.language, languageLabels[language]),
        icon: Languages,
        target: () => chooseLanguage(language),
      })),
    { id: 'sign-out', label: text.signOut, icon: LogOut, target: { to: '/sign-out' } },
  ];
  return commands.map((command) => ({ ...command, id: `command/${command.id}`, kind: own.command }));
}
