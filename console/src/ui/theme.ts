import { Store, useStore } from './store.ts';

export type Theme = 'light' | 'dark';
export type ThemeChoice = Theme | 'system';

const key = 'theme';
const dark = matchMedia('(prefers-color-scheme: dark)');

function stored(): ThemeChoice {
  const value = localStorage.getItem(key);
  return value === 'light' || value === 'dark' ? value : 'system';
}

const choice = new Store(stored());
const shown = new Store<Theme>('light');

/** Returns this browser's choice. */
export const getThemeChoice = choice.get;

function apply(): void {
  const chosen = choice.get();
  const theme = chosen !== 'system' ? chosen : dark.matches ? 'dark' : 'light';
  document.documentElement.dataset.theme = theme;
  shown.set(theme);
}

/** Applies the chosen theme, or the system's. Call it once. */
export function startTheme(): void {
  dark.addEventListener('change', apply);
  apply();
}

export function setThemeChoice(next: ThemeChoice): void {
  localStorage.setItem(key, next);
  choice.set(next);
  apply();
}

/** Returns the theme that is shown, for drawings without CSS. */
export const useTheme = (): Theme => useStore(shown);

export const useThemeChoice = (): ThemeChoice => useStore(choice);
