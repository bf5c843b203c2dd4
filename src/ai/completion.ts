import { isObject } from '../core/json.ts';
import { ModelError } from './model-error.ts';

/** The content of one event of the stream. */
export interface CompletionChunk {
  /** Empty if the event has no text. */
  readonly text: string;
  /** Whether the answer is complete. */
  readonly isLast: boolean;
}

/** Maximum length of a service's error message, in characters. */
const maxMessageLength = 300;

/** Parses the data of an event, a `chat.completion.chunk` of the OpenAI API or `[DONE]`. Throws ModelError. */
export function parseCompletionChunk(data: string): CompletionChunk {
  if (data.trim() === '[DONE]') return { text: '', isLast: true };
  const choice = firstChoice(parsed(data));
  // The last event may contain usage and no choice.
  if (choice === null) return { text: '', isLast: false };
  return { text: textOf(choice.delta), isLast: typeof choice.finish_reason === 'string' };
}

/** Parses a complete answer of a service that does not stream. Throws ModelError. */
export function completeText(json: string): string {
  return textOf(firstChoice(parsed(json))?.message);
}

/** Returns a service's error message as one short line; null if there is none. */
export function serviceErrorMessage(json: string): string | null {
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

/** Returns the text of a message or delta; reasoning and tool calls are ignored. */
const textOf = (message: unknown): string =>
  isObject(message) && typeof message.content === 'string' ? message.content : '';

/** Finds the message of an error. Services differ: `{error: {message}}`, `{error}`, `{message}`, `{detail}`. */
function messageIn(value: unknown): string | null {
  if (!isObject(value)) return null;
  const { error, message, detail } = value;
  const found = [isObject(error) ? error.message : error, message, detail].find((each) => typeof each === 'string');
  if (typeof found !== 'string') return null;
  const line = found.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
  if (line === '') return null;
  return line.length > maxMessageLength ? `${line.slice(0, maxMessageLength)}…` : line;
}
