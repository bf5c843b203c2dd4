/** Why a language model gave no answer, or not the whole of it. */
export type ModelProblem =
  /** No model is set up. */
  | 'none'
  /** There is no way to the service. */
  | 'unreachable'
  /** It was silent for too long, or took too long altogether. */
  | 'late'
  /** It said that it failed. */
  | 'refused'
  /** What it sent is no answer. */
  | 'malformed'
  /** It sent more than an answer may have. */
  | 'too long'
  /** It ended before its answer did. */
  | 'broken off'
  /** It ended without a word. */
  | 'empty';

const sentences: Readonly<Record<ModelProblem, string>> = {
  none: 'This server has no language model. Its operator can set one up.',
  unreachable: 'The language model cannot be reached.',
  late: 'The language model took too long to answer.',
  refused: 'The language model could not answer.',
  malformed: 'The language model answered in a form that is not understood.',
  'too long': 'The language model answered more than it should.',
  'broken off': 'The language model stopped in the middle of its answer.',
  empty: 'The language model gave no text.',
};

/** A sentence, with a code in it if there is one. */
const sentenceOf = (problem: ModelProblem, code: string | null): string =>
  code === null ? sentences[problem] : `${sentences[problem].slice(0, -1)} (${code}).`;

/** A language model failed. The message is for the person who asked; `problem` and `code` may be logged. */
export class ModelError extends Error {
  readonly problem: ModelProblem;
  /** A status or the system's code, nothing that the service has written; null if there is none. */
  readonly code: string | null;

  /** `told`: what the service says itself, for the person who asked. */
  constructor(problem: ModelProblem, code: string | null = null, told: string | null = null) {
    super(told ?? sentenceOf(problem, code));
    this.name = 'ModelFailure';
    this.problem = problem;
    this.code = code;
  }

  /** The failure for the owner's list of logs: without the words of the service, which may repeat what it was asked. */
  get logMessage(): string {
    return sentenceOf(this.problem, this.code);
  }
}
