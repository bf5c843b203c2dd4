import type { Language } from '../core/languages.ts';
import { Message, messagesIn, verbatim } from '../core/message.ts';

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

/** The messages of the problems; they are stored in logs. */
export const sayOfModel = messagesIn<Record<ModelProblem, string>>({
  en: {
    none: 'This server has no language model. Its operator can configure one.',
    unreachable: 'The language model cannot be reached.',
    timeout: 'The language model took too long to answer.',
    refused: 'The language model could not answer.',
    malformed: 'The response of the language model could not be parsed.',
    'too long': 'The answer of the language model is too long.',
    incomplete: 'The language model stopped in the middle of its answer.',
    empty: 'The language model gave no text.',
  },
  fr: {
    none: 'Ce serveur n’a pas de modèle de langage. Son exploitant peut en configurer un.',
    unreachable: 'Le modèle de langage est injoignable.',
    timeout: 'Le modèle de langage a mis trop de temps à répondre.',
    refused: 'Le modèle de langage n’a pas pu répondre.',
    malformed: 'La réponse du modèle de langage est illisible.',
    'too long': 'La réponse du modèle de langage est trop longue.',
    incomplete: 'Le modèle de langage s’est arrêté au milieu de sa réponse.',
    empty: 'Le modèle de langage n’a donné aucun texte.',
  },
});

/** Returns the message, with the code in parentheses if there is one. */
const sentenceOf = (problem: ModelProblem, code: string | null): Message =>
  code === null
    ? sayOfModel[problem]
    : new Message((reader) => `${sayOfModel[problem].in(reader).slice(0, -1)} (${code}).`);

/** A failure of a language model. The message is for the user who asked; `problem` and `code` may be logged. */
export class ModelError extends Error {
  readonly problem: ModelProblem;
  /** An HTTP status or a system error code, never the service's own text; null if there is none. */
  readonly code: string | null;

  readonly sentence: Message;

  /** `serviceMessage`: the service's own error message, for the user who asked. */
  constructor(problem: ModelProblem, code: string | null = null, serviceMessage: string | null = null) {
    const sentence = serviceMessage === null ? sentenceOf(problem, code) : verbatim(serviceMessage);
    super(String(sentence));
    this.name = 'ModelError';
    this.sentence = sentence;
    this.problem = problem;
    this.code = code;
  }

  /** The message for the device's logs, without the service's own text, which may repeat the prompt. */
  logMessage(language: Language): string {
    return sentenceOf(this.problem, this.code).in(language);
  }
}
