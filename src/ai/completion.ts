import { isObject } from '../core/json.ts';
import { ModelError } from './model-error.ts';

/** What one event of the stream brings. */
export interface CompletionChunk {
  /** Empty when it brings something else than text. */
  readonly text: string;
  /** Nothing follows that belongs to the answer. */
  readonly isLast: boolean;
}

/** Characters of a service's own error message that are handed on. */
const longestMessage = 300;

/** Reads the data of an event, a `chat.completion.chunk` or `[DONE]`. Throws ModelFailure. [OpenAI chat completions] */
export function parseCompletionChunk(data: string): CompletionChunk {
  if (data.trim() === '[DONE]') return { text: '', isLast: true };
  const choice = firstChoice(parsed(data));
  // The last event may tell how much was used, and hold no choice.
  if (choice === null) return { text: '', isLast: false };
  return { text: textOf(choice.delta), isLast: typeof choice.finish_reason === 'string' };
}

/** Reads an answer that came in one piece, from a service that does not stream. Throws ModelFailure. */
export function completeText(json: string): string {
  return textOf(firstChoice(parsed(json))?.message);
}

/** What a service says about its failure, in one short line; null if it says nothing that is understood. */
export function errorMessage(json: string): string | null {
  try {
    return messageIn(JSON.parse(json));
  } catch {
    return null;
  }
}

function parsed(json: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new ModelError('malformed');
  }
  if (!isObject(value)) throw new ModelError('malformed');
  if (value.error !== undefined && value.error !== null) throw new ModelError('refused', null, messageIn(value));
  return value;
}

function firstChoice({ choices }: Record<string, unknown>): Record<string, unknown> | null {
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined;
  return isObject(first) ? first : null;
}

/** The text of a message or of a part of one. What a model thinks or would call is something else. */
const textOf = (message: unknown): string =>
  isObject(message) && typeof message.content === 'string' ? message.content : '';

/** Services differ: `{error: {message}}`, `{error}`, `{message}`, `{detail}`. */
function messageIn(value: unknown): string | null {
  if (!isObject(value)) return null;
  const { error, message, detail } = value;
  const found = [isObject(error) ? error.message : error, message, detail].find((each) => typeof each === 'string');
  if (typeof found !== 'string') return null;
  const line = found.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
  if (line === '') return null;
  return line.length > longestMessage ? `${line.slice(0, longestMessage)}…` : line;
}
