import { describe, expect, it } from 'vitest';
import { Publish5Encoder } from './publish5-encoder.ts';

const message = {
  topic: 'a',
  payload: Buffer.from('hi'),
  qos: 1,
  retain: false,
  dup: false,
  messageId: 5,
  properties: undefined,
  expiresIn: undefined,
} as const;

describe('an encoder of messages of MQTT 5', () => {
  it('encodes a message for many clients, each with its id', () => {
    const encoder = new Publish5Encoder();
    expect(encoder.encode(message)?.toString('hex')).toBe('3208000161' + '0005' + '00' + '6869');
    expect(encoder.encode({ ...message, messageId: 6, dup: true })?.toString('hex')).toBe(
      '3a08000161' + '0006' + '00' + '6869',
    );
    expect(encoder.encode({ ...message, qos: 0, expiresIn: 9 })?.toString('hex')).toBe(
      '300b000161' + '050200000009' + '6869',
    );
  });

  it('returns null for a message that has expired or cannot be encoded, and encodes the next one', () => {
    const encoder = new Publish5Encoder();
    for (const expiresIn of [0, -1]) expect(encoder.encode({ ...message, expiresIn })).toBeNull();
    const invalid = { ...message, properties: { contentType: 5 as unknown as string } };
    expect(encoder.encode(invalid)).toBeNull();
    expect(encoder.encode(invalid)).toBeNull();
    expect(encoder.encode(message)?.toString('hex')).toBe('3208000161' + '0005' + '00' + '6869');
  });
});
