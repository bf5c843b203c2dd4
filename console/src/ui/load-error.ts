import { uiText } from './text.ts';

const loadError = 'LoadError';

/** Gives errors of files that cannot be loaded a plain message, and makes {@link isLoadError} recognize them. Call it once. */
export const nameLoadErrors = (): void =>
  addEventListener('vite:preloadError', ({ payload }) => {
    payload.name = loadError;
    payload.message = uiText().notLoaded;
  });

/** Whether a file of the console could not be loaded. Browsers and loaders remember that: only a reload tries again. */
export const isLoadError = (error: unknown): boolean => error instanceof Error && error.name === loadError;
