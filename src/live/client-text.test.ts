import { expect, it } from 'vitest';
import { clientText } from './client-text.ts';

it('keeps text that is short and plain', () => {
  expect(clientText('bot.device_5.logs é 🌱')).toBe('bot.device_5.logs é 🌱');
});

it('leaves no line breaks, control characters, reversals and halves of characters', () => {
  expect(clientText('a\r\nb\u0000c\u001b[31md\u202ee\u2028f\ud83c')).toBe('a??b?c?[31md?e?f?');
});

it('cuts', () => {
  expect(clientText('x'.repeat(100_000))).toBe(`${'x'.repeat(80)}…`);
});
