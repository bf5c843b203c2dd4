import type { Language } from '../core/languages.ts';
import { acceptedLanguage } from '../core/languages.ts';
import type { RequestHeaders } from './route.ts';

/** Returns the language of the page that sends a request, which the console names and browsers know; null if it is unknown. */
export const pageLanguage = ({ headers }: RequestHeaders): Language | null =>
  acceptedLanguage(headers['accept-language']);
