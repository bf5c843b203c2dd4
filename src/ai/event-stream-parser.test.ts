import { describe, expect, it } from 'vitest';
import { EventStreamParser, EventTooLongError, maxEventLength } from './event-stream-parser.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text, 'utf8');

/** Returns the events of a stream in chunks of equal size. */
function eventsIn(text: string, size: number): string[] {
  const stream = new EventStreamParser();
  const all = bytes(text);
  const events: string[] = [];
  for (let at = 0; at < all.length; at += size) events.push(...stream.take(all.subarray(at, at + size)));
  return [...events, ...stream.end()];
}

describe('a stream of events', () => {
  const text =
    ': hello\r\n\r\ndata: {"a":"grün"}\n\nevent: x\rid: 5\rdata:second 🌱\r\rdata\ndata: of three\ndata:  lines\r\n\r\nretry: 5\n\n';

  it.each([1, 2, 3, 5, 7, 1000])('gives the same events for chunks of %i bytes', (size) => {
    expect(eventsIn(text, size)).toEqual(['{"a":"grün"}', 'second 🌱', '\nof three\n lines']);
  });

  it('returns events as soon as they are complete', () => {
    const stream = new EventStreamParser();
    expect(stream.take(bytes('data: o'))).toEqual([]);
    expect(stream.take(bytes('ne\n'))).toEqual([]);
    expect(stream.take(bytes('\ndata: two\n\ndata: th'))).toEqual(['one', 'two']);
    expect(stream.take(bytes('ree\n\n'))).toEqual(['three']);
    expect(stream.end()).toEqual([]);
  });

  it('accepts a missing empty line at the end, but no incomplete line', () => {
    expect(eventsIn('data: one\n', 100)).toEqual(['one']);
    expect(eventsIn('data: one\n\ndata: tw', 100)).toEqual(['one']);
    expect(eventsIn('data: one', 100)).toEqual([]);
  });

  it('replaces bytes that are not UTF-8', () => {
    const stream = new EventStreamParser();
    expect(stream.take(Buffer.from([0x64, 0x61, 0x74, 0x61, 0x3a, 0xff, 0x0a, 0x0a]))).toEqual(['\ufffd']);
  });

  it('rejects lines and events that are too long, in chunks of any size', () => {
    const long = 'x'.repeat(maxEventLength / 4);
    const stream = new EventStreamParser();
    const flood = () => {
      for (let i = 0; i < 5; i++) stream.take(bytes(long));
    };
    expect(flood).toThrow(EventTooLongError);
    expect(() => eventsIn(`data: ${long}\n`.repeat(4), 1000)).toThrow(EventTooLongError);
    const atLimit = 'x'.repeat(maxEventLength - 'data: '.length);
    expect(eventsIn(`data: ${atLimit}\n\n`, 4000)).toEqual([atLimit]);
    expect(() => eventsIn(`data: ${atLimit}x\n\n`, 4000)).toThrow(EventTooLongError);
    expect(eventsIn(`${`: ${long}\n`.repeat(20)}data: fine\n\n`, 4000)).toEqual(['fine']);
  });
});
