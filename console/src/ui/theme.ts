import { useSyncExternalStore } from 'react';

export type Theme = 'light' | 'dark';
export type ThemeChoice = Theme | 'system';

const key = 'theme';
const dark = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

/** Returns what was chosen in this browser. */
export function getThemeChoice(): ThemeChoice {
  const stored = localStorage.getItem(key);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

const resolved = (): Theme => {
  const choice = getThemeChoice();
  if (choice !== 'system') return choice;
  return dark.matches ? 'dark' : 'light';
};

function apply(): void {
  document.documentElement.dataset.theme = resolved();
  for (const listener of listeners) listener();
}

/** Applies the chosen theme, or that of the system. Call it once. */
export function startTheme(): void {
  dark.addEventListener('change', apply);
  apply();
}

export function setThemeChoice(choice: ThemeChoice): void {
  localStorage.setItem(key, choice);
  apply();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the theme that is shown, for what is drawn without CSS. */
export const useTheme = (): Theme => useSyncExternalStore(subscribe, resolved);

export const useThemeChoice = (): ThemeChoice => useSyncExternalStore(subscribe, getThemeChoice);
