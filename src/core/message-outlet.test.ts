import { describe, expect, it } from 'vitest';
import type { Message } from './message-outlet.ts';
import { MessageOutlet } from './message-outlet.ts';

const message = { topic: 'bot/device_5/logs', payload: '{}' };

describe('a message outlet', () => {
  it('drops messages while no broker is connected', async () => {
    await expect(new MessageOutlet().publish(message)).resolves.toBeUndefined();
  });

  it('passes messages to the broker and its rejections to the caller', async () => {
    const outlet = new MessageOutlet();
    const published: Message[] = [];
    outlet.connect(async (each) => {
      if (published.push(each) > 1) throw new Error('full');
    });
    await outlet.publish(message);
    expect(published).toEqual([message]);
    await expect(outlet.publish(message)).rejects.toThrow('full');
  });

  it('accepts only one broker', () => {
    const outlet = new MessageOutlet();
    outlet.connect(async () => undefined);
    expect(() => outlet.connect(async () => undefined)).toThrow('already');
  });
});
