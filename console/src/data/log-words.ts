import type { Language } from '../../../src/core/languages.ts';
import { getLanguage } from '../ui/language.ts';
import { logMessage } from './log-messages.ts';

/** Returns the message of a log, or a robot's explanation, as it is shown. */
export const logInWords = (message: string, language: Language = getLanguage()): string =>
  logMessage(message)?.in(language) ?? message;
