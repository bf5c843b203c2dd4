import { frenchSpaces } from '../ui/french-spaces.ts';
import { getLanguage } from '../ui/language.ts';
import { ApiError } from './api-error.ts';
import { fieldLabel } from './field-label.ts';
import { serverWords } from './server-words.ts';

/** `Water Curve ID`, as the API writes the name of a field, to its label. */
const labelOf = (title: string): string => fieldLabel(title.toLowerCase().replaceAll(' ', '_'));

/** Returns a failure of the API with its sentences in the words of the console. [ADR 79] */
export function inWords({ status, fields, original }: ApiError): ApiError {
  const language = getLanguage();
  const spaced = language === 'fr' ? frenchSpaces : (text: string) => text;
  const words = Object.entries(fields).map(
    ([field, sentence]) => [field, spaced(serverWords(language, sentence, labelOf))] as const,
  );
  return new ApiError(status, Object.fromEntries(words), original);
}
