import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { silent } from '../../test/support/job-database.ts';
import { MessageOutlet } from '../core/message-outlet.ts';
import { announceAgain } from './announcement.ts';

it('announces the stored record again after the response, and once more if it changes in between', async () => {
  const published: (readonly [topic: string, body: unknown])[] = [];
  let stored = '{"x":1}';
  const messages = new MessageOutlet();
  messages.connect(async ({ topic, payload }) => {
    published.push([topic, JSON.parse(payload).body]);
    // Another process announces a change before this message.
    if (published.length === 1) stored = '{"x":3}';
  });
  const responseSent: Promise<void> = sleep(150);
  const record = { deviceId: 1, resource: 'FbosConfig', recordId: 2 };
  announceAgain(messages, silent)(record, responseSent, async () => stored);
  await responseSent;
  await sleep(10);
  expect(published).toEqual([]);
  stored = '{"x":2}';
  await expect.poll(() => published.length).toBe(2);
  await sleep(10);
  const topic = 'bot/device_1/sync/FbosConfig/2';
  expect(published).toEqual([
    [topic, { x: 2 }],
    [topic, { x: 3 }],
  ]);
});
