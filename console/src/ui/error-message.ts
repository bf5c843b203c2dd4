import { isLoadError } from './load-error.ts';
import { uiText } from './text.ts';

/** An error with a message for the person, in the language of the page. */
export class WordedError extends Error {}

/** Whether the message of a thrown value is written for the person. Messages of browsers and packages are not. */
export const isWorded = (error: unknown): error is Error => error instanceof WordedError || isLoadError(error);

/** Returns the message about a thrown value that is shown. */
export const errorMessage = (error: unknown): string => (isWorded(error) ? error.message : uiText().unexpected);
