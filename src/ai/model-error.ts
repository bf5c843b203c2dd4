import type { Language } from '../core/languages.ts';
import { defaultLanguage } from '../core/languages.ts';

/** The reason why a language model gave no complete answer. */
export type ModelProblem =
  /** No model is configured. */
  | 'none'
  /** The connection failed. */
  | 'unreachable'
  /** A timeout. */
  | 'timeout'
  /** An error response. */
  | 'refused'
  /** The response could not be parsed. */
  | 'malformed'
  /** The response exceeded a limit. */
  | 'too long'
  /** The connection ended before the answer was complete. */
  | 'incomplete'
  /** The answer had no text. */
  | 'empty';

/** What each means, in the languages of notices. */
export const modelTexts: Readonly<Record<ModelProblem, Readonly<Record<Language, string>>>> = {
  none: {
    en: 'This server has no language model. Its operator can configure one.',
    fr: 'Ce serveur n’a pas de modèle de langage. Son exploitant peut en configurer un.',
  },
  unreachable: {
    en: 'The language model cannot be reached.',
    fr: 'Le modèle de langage est injoignable.',
  },
  timeout: {
    en: 'The language model took too long to answer.',
    fr: 'Le modèle de langage a mis trop de temps à répondre.',
  },
  refused: {
    en: 'The language model could not answer.',
    fr: 'Le modèle de langage n’a pas pu répondre.',
  },
  malformed: {
    en: 'The response of the language model could not be parsed.',
    fr: 'La réponse du modèle de langage est illisible.',
  },
  'too long': {
    en: 'The answer of the language model is too long.',
    fr: 'La réponse du modèle de langage est trop longue.',
  },
  incomplete: {
    en: 'The language model stopped in the middle of its answer.',
    fr: 'Le modèle de langage s’est arrêté au milieu de sa réponse.',
  },
  empty: {
    en: 'The language model gave no text.',
    fr: 'Le modèle de langage n’a donné aucun texte.',
  },
};

/** Returns the message, with the code in parentheses if there is one. */
function textOf(problem: ModelProblem, code: string | null, language: Language): string {
  const text = modelTexts[problem][language];
  return code === null ? text : `${text.slice(0, -1)} (${code}).`;
}

/** A failure of a language model. The message is for the user who asked; `problem` and `code` may be logged. */
export class ModelError extends Error {
  readonly problem: ModelProblem;
  /** An HTTP status or a system error code, never the service's own text; null if there is none. */
  readonly code: string | null;

  /** `serviceMessage`: the service's own error message, for the user who asked. */
  constructor(problem: ModelProblem, code: string | null = null, serviceMessage: string | null = null) {
    super(serviceMessage ?? textOf(problem, code, defaultLanguage));
    this.name = 'ModelError';
    this.problem = problem;
    this.code = code;
  }

  /** The message for the device's logs, without the service's own text, which may repeat the prompt. */
  logMessage(language: Language): string {
    return textOf(this.problem, this.code, language);
  }
}
