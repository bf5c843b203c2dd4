import { applyTheme, darkSystem, storedTheme, type Theme, type ThemeChoice, themeKey } from './initial-theme.ts';
import { Store, useStore } from './store.ts';

export type { ThemeChoice } from './initial-theme.ts';

const choice = new Store(storedTheme());
const shown = new Store<Theme>('light');

/** Returns this browser's choice. */
export const getThemeChoice = choice.get;

const apply = (): void => shown.set(applyTheme(choice.get()));

/** Applies the chosen theme, or the system's. Call it once. */
export function startTheme(): void {
  darkSystem.addEventListener('change', apply);
  apply();
}

export function setThemeChoice(next: ThemeChoice): void {
  localStorage.setItem(themeKey, next);
  choice.set(next);
  apply();
}

/** Returns the theme that is shown, for drawings without CSS. */
export const useTheme = (): Theme => useStore(shown);

export const useThemeChoice = (): ThemeChoice => useStore(choice);
