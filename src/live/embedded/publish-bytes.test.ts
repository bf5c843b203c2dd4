import { describe, expect, it } from 'vitest';
import { PublishCache, publishBytes } from './publish-bytes.ts';

describe('the bytes of a message', () => {
  it('are a PUBLISH of MQTT 3.1.1', () => {
    expect(publishBytes('a/b', Buffer.from('xyz'), false).toString('hex')).toBe('30080003612f6278797a');
    expect(publishBytes('ü', Buffer.alloc(0), true).toString('hex')).toBe('31040002c3bc');
  });

  it.each([
    [124, '307f'],
    [125, '308001'],
    [16_380, '30ff7f'],
    [16_381, '30808001'],
    [2_097_148, '30ffff7f'],
    [2_097_149, '3080808001'],
  ])('announce a payload of %i bytes rightly', (size, header) => {
    const bytes = publishBytes('t', Buffer.alloc(size, 1), false);
    expect(bytes.toString('hex', 0, header.length / 2)).toBe(header);
    expect(bytes.length).toBe(header.length / 2 + 3 + size);
    expect(bytes.at(-1)).toBe(1);
  });

  it('are made once for many', () => {
    const cache = new PublishCache();
    const payload = Buffer.from('x');
    const bytes = cache.bytes('a', payload, false);
    expect(cache.bytes('a', payload, false)).toBe(bytes);
    expect(cache.bytes('b', payload, false).toString('hex')).toBe('300400016278');
    expect(cache.bytes('b', payload, true).toString('hex')).toBe('310400016278');
    expect(cache.bytes('b', Buffer.from('y'), true).toString('hex')).toBe('310400016279');
  });
});
