import { expect, it } from 'vitest';
import { nextDigest } from './log-mails.ts';

it('collects messages in spans of ten minutes and mails them just after', () => {
  expect(nextDigest(Date.UTC(2026, 0, 1, 10, 3, 20))).toEqual({
    from: '2026-01-01T10:00:00.000Z',
    mailedAt: '2026-01-01T10:10:05.000Z',
  });
  expect(nextDigest(Date.UTC(2026, 0, 1, 10, 10)).from).toBe('2026-01-01T10:10:00.000Z');
});
