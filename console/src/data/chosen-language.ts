import { accountLanguages, type Language } from '../../../src/core/languages.ts';
import { setLanguage } from '../ui/language.ts';
import { showProblem } from '../ui/toasts.tsx';
import { api } from './api.ts';
import { ApiError } from './api-error.ts';
import { queryClient } from './query-client.ts';
import { getHomeSession, getSession } from './session.ts';

/** Shows everything in a language that the user chooses, and has the mails to the account written in it. */
export function chooseLanguage(language: Language): void {
  setLanguage(language);
  // Texts of the server are read again in that language.
  void queryClient.invalidateQueries();
  // Only a session of the home garden may change the account.
  const session = getHomeSession() ?? getSession();
  if (session) void storeLanguage(language, session.token.encoded).catch(reportUnlessForbidden);
}

/** Sessions of other gardens alone leave the account as it is. */
function reportUnlessForbidden(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 403)) showProblem(error);
}

const storeLanguage = (language: Language, authorization: string): Promise<unknown> =>
  api.PATCH('/api/users', { body: { language: accountLanguages[language] }, headers: { authorization } });
