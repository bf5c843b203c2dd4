import { describe, expect, it } from 'vitest';
import { completionTexts } from './completion-stream.ts';

const content = (text: string): string => `{"choices":[{"delta":{"content":"${text}"}}]}`;

/** Returns the texts of a stream that arrives in chunks of equal size, and the failure message, if any. */
async function textsIn(stream: string | Buffer, size = 1000) {
  async function* chunks() {
    const all = Buffer.from(stream);
    for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size);
  }
  const texts: string[] = [];
  try {
    for await (const text of completionTexts(chunks())) texts.push(text);
    return { texts, failure: null };
  } catch (error) {
    return { texts, failure: error instanceof Error ? error.message : String(error) };
  }
}

const incomplete = 'The language model stopped in the middle of its answer.';
const malformed = 'The response of the language model could not be parsed.';
const tooLong = 'The answer of the language model is too long.';

describe('a streamed answer', () => {
  /** As servers of models send it: comments while they work, data with and without a space, other fields, data in lines. */
  const lines = [
    ...[': PROCESSING', '', `data: ${content('grün')}`, '', ': ping', ''],
    ...['id:1', 'event:result', ':HTTP_STATUS/200', `data:${content('🌱')}`, '', 'retry: 5', 'x-unknown', ''],
    ...['data: {"choices":', 'data: [{"delta":{"content":"!"}}]}', '', 'data: [DONE]', ''],
  ];

  it.each(['\n', '\r\n', '\r'])('has the same texts for lines that end in %j, in chunks of any size', async (end) => {
    const stream = `${lines.join(end)}${end}`;
    for (const size of [1, 2, 3, 5, 7, 1000])
      expect(await textsIn(stream, size)).toEqual({ texts: ['grün', '🌱', '!'], failure: null });
    expect(await textsIn(`\ufeff${stream}`, 2)).toEqual({ texts: ['grün', '🌱', '!'], failure: null });
  });

  it('has its texts as soon as their events are complete', async () => {
    const taken: string[] = [];
    async function* chunks() {
      for (const text of ['data: ', `${content('one')}\n`, `\ndata: ${content('two')}\n\nda`, 'ta: [DONE]\n\n']) {
        yield Buffer.from(text);
        taken.push('more');
      }
    }
    for await (const text of completionTexts(chunks())) taken.push(text);
    expect(taken).toEqual(['more', 'more', 'one', 'two', 'more']);
  });

  it.each(['\n', '\r\n'])('may lack its last empty line, but not the end of its last line: %j', async (end) => {
    const one = `data: ${content('one')}`;
    expect(await textsIn(`${one}${end}${end}data: [DONE]${end}`)).toEqual({ texts: ['one'], failure: null });
    expect(await textsIn(`${one}${end}${end}data: [DO`)).toEqual({ texts: ['one'], failure: incomplete });
    expect(await textsIn(`${one}${end}${end}data: [DONE]`)).toEqual({ texts: ['one'], failure: incomplete });
    expect(await textsIn(one)).toEqual({ texts: [], failure: malformed });
  });

  it('has replacement characters instead of bytes that are not UTF-8', async () => {
    const [before = '', after = ''] = `data: ${content('?')}\n\ndata: [DONE]\n\n`.split('?');
    expect(await textsIn(Buffer.concat([Buffer.from(before), Buffer.from([0xff]), Buffer.from(after)]))).toEqual({
      texts: ['\ufffd'],
      failure: null,
    });
  });

  it('is rejected if it has no events', async () => {
    expect(await textsIn('<!doctype html>\n<title>Hello</title>\n\n<p>Not a model.\n')).toEqual({
      texts: [],
      failure: malformed,
    });
    expect(await textsIn('')).toEqual({ texts: [], failure: malformed });
  });

  it('has a maximum for lines and events, in chunks of any size', async () => {
    const quarter = 'x'.repeat(64 * 1024);
    for (const size of [1000, 64 * 1024]) {
      expect(await textsIn(`data: ${quarter.repeat(5)}`, size)).toEqual({ texts: [], failure: tooLong });
      expect(await textsIn(`data: ${quarter}\n`.repeat(5), size)).toEqual({ texts: [], failure: tooLong });
    }
    const long = `data: ${content(quarter.repeat(3))}\n\n${`: ${quarter}\n`.repeat(20)}data: [DONE]\n\n`;
    expect(await textsIn(long, 4000)).toEqual({ texts: [quarter.repeat(3)], failure: null });
  });
});
