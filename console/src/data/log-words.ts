import type { Language } from '../../../src/core/languages.ts';
import { sentenceInWords } from './server-failure.ts';

/** Longer logs are no sentences of a robot or the server, such as what a script prints; comparing them with all sentences takes long. */
const maxLength = 500;

/** Returns the message of a log as it is shown: what virtual robots say has words in each language. */
export const logInWords = (message: string, language?: Language): string =>
  message.length > maxLength ? message : sentenceInWords(message, {}, language);
