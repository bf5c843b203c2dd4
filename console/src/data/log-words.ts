import type { Language } from '../../../src/core/languages.ts';
import { logMessage } from '../../../src/today/log-messages.ts';
import { getLanguage } from '../ui/language.ts';

/** Returns the message of a log, or a robot's explanation, as it is shown. */
export const logInWords = (message: string, language: Language = getLanguage()): string =>
  logMessage(message)?.in(language) ?? message;
