export type Theme = 'light' | 'dark';
export type ThemeChoice = Theme | 'system';

/** The key under which the browser keeps the theme that was chosen in it. */
export const themeKey = 'theme';
export const darkSystem = matchMedia('(prefers-color-scheme: dark)');

/** Returns this browser's choice. */
export function storedTheme(): ThemeChoice {
  const value = localStorage.getItem(themeKey);
  return value === 'light' || value === 'dark' ? value : 'system';
}

/** Shows the page in the chosen theme, or the system's. Returns it. */
export function applyTheme(choice: ThemeChoice): Theme {
  const theme = choice !== 'system' ? choice : darkSystem.matches ? 'dark' : 'light';
  document.documentElement.dataset.theme = theme;
  return theme;
}
