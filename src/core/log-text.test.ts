import { expect, it } from 'vitest';
import { logText } from './log-text.ts';

it('keeps short plain text', () => {
  expect(logText('bot.device_5.logs é 🌱')).toBe('bot.device_5.logs é 🌱');
});

it('replaces line breaks, control characters, bidirectional overrides and lone surrogates', () => {
  expect(logText('a\r\nb\u0000c\u001b[31md\u202ee\u2028f\ud83c')).toBe('a??b?c?[31md?e?f?');
});

it('truncates long text', () => {
  expect(logText('x'.repeat(100_000))).toBe(`${'x'.repeat(80)}…`);
  expect(logText('x'.repeat(501), 500)).toBe(`${'x'.repeat(500)}…`);
});
