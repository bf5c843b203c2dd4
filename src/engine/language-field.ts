import { labels } from '../core/field-labels.ts';
import { defaultLanguage, languages } from '../core/languages.ts';
import { oneOf } from './fields.ts';

/** The language of a garden that a request creates. */
export const languageField = oneOf(...languages)
  .default(defaultLanguage)
  .describe('Language of the names that the garden begins with: tools, programs, plants.')
  .label(labels.language);
