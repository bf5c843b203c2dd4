import { describe, expect, it } from 'vitest';
import { encodePublish, PublishEncoder } from './client-receiver.ts';

describe('an encoded message', () => {
  it('is a PUBLISH packet of MQTT 3.1.1', () => {
    expect(encodePublish('a/b', Buffer.from('xyz'), false).toString('hex')).toBe('30080003612f6278797a');
    expect(encodePublish('ü', Buffer.alloc(0), true).toString('hex')).toBe('31040002c3bc');
  });

  it.each([
    [124, '307f'],
    [125, '308001'],
    [16_380, '30ff7f'],
    [16_381, '30808001'],
    [2_097_148, '30ffff7f'],
    [2_097_149, '3080808001'],
  ])('has the correct length for a payload of %i bytes', (size, header) => {
    const bytes = encodePublish('t', Buffer.alloc(size, 1), false);
    expect(bytes.toString('hex', 0, header.length / 2)).toBe(header);
    expect(bytes.length).toBe(header.length / 2 + 3 + size);
    expect(bytes.at(-1)).toBe(1);
  });

  it('is encoded once for many clients', () => {
    const encoder = new PublishEncoder();
    const payload = Buffer.from('x');
    const bytes = encoder.encode('a', payload, false);
    expect(encoder.encode('a', payload, false)).toBe(bytes);
    expect(encoder.encode('b', payload, false).toString('hex')).toBe('300400016278');
    expect(encoder.encode('b', payload, true).toString('hex')).toBe('310400016278');
    expect(encoder.encode('b', Buffer.from('y'), true).toString('hex')).toBe('310400016279');
  });
});
