import { createParser } from 'eventsource-parser';
import { parseCompletionChunk } from './completion.ts';
import { ModelError } from './model-error.ts';

/** Maximum length of an incomplete event, in characters. A typical event has a few hundred. */
const maxEventLength = 256 * 1024;

/** Yields the non-empty texts of a streamed answer, until it is complete. Throws ModelError. */
export async function* completionTexts(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const events: string[] = [];
  const parser = createParser({
    maxBufferSize: maxEventLength,
    onEvent: ({ data }) => events.push(data),
    // Others are about lines that the standard ignores.
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') throw new ModelError('too long');
    },
  });
  let isComplete = false;
  let hasEvents = false;
  for await (const piece of decoded(bytes)) {
    parser.feed(piece);
    for (const event of events.splice(0)) {
      hasEvents = true;
      const { text, isLast } = parseCompletionChunk(event);
      isComplete ||= isLast;
      if (text !== '') yield text;
    }
    if (isComplete) return;
  }
  // An HTML page at a wrong URL has lines but no events.
  throw new ModelError(hasEvents ? 'incomplete' : 'malformed');
}

async function* decoded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true });
  // Completes a last event without its empty line; also one after a carriage return, which the parser keeps until more arrives.
  yield `${decoder.decode()}\n`;
}
