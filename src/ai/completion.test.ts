import { describe, expect, it } from 'vitest';
import { completeText, parseCompletionChunk, serviceErrorMessage } from './completion.ts';

const chunk = (choice: object): string => JSON.stringify({ object: 'chat.completion.chunk', choices: [choice] });

describe('a chunk of a completion', () => {
  it.each([
    [chunk({ delta: { role: 'assistant', content: '' }, finish_reason: null }), '', false],
    [chunk({ delta: { content: 'Hi' } }), 'Hi', false],
    [chunk({ delta: { content: ' ' }, finish_reason: null }), ' ', false],
    [chunk({ delta: {}, finish_reason: 'stop' }), '', true],
    [chunk({ delta: { content: 'end' }, finish_reason: 'length' }), 'end', true],
    [chunk({ delta: { reasoning_content: 'hm', content: null } }), '', false],
    [chunk({ delta: { tool_calls: [] } }), '', false],
    ['{"choices":[],"usage":{"total_tokens":5}}', '', false],
    ['{"choices":[5]}', '', false],
    ['{"error":null,"choices":[{"delta":{"content":"x"}}]}', 'x', false],
    ['[DONE]', '', true],
    [' [DONE] ', '', true],
  ])('%s', (data, text, isLast) => {
    expect(parseCompletionChunk(data)).toEqual({ text, isLast });
  });

  it.each(['', 'x', '{"choices":', '5', 'null', '[]'])('is rejected: %j', (data) => {
    expect(() => parseCompletionChunk(data)).toThrow('could not be parsed');
  });

  it('may contain an error', () => {
    expect(() => parseCompletionChunk('{"error":{"message":"out of\\n memory","code":500}}')).toThrow(
      /^out of memory$/,
    );
    expect(() => parseCompletionChunk('{"error":"no"}')).toThrow(/^no$/);
    expect(() => parseCompletionChunk('{"error":{}}')).toThrow('could not answer');
  });
});

it('a complete answer has its text in a message', () => {
  expect(completeText('{"choices":[{"message":{"role":"assistant","content":"All"},"finish_reason":"stop"}]}')).toBe(
    'All',
  );
  expect(completeText('{"choices":[]}')).toBe('');
});

it.each([
  ['{"error":{"message":"Too many requests"}}', 'Too many requests'],
  ['{"error":"model not found"}', 'model not found'],
  ['{"message":"Unauthorized"}', 'Unauthorized'],
  ['{"detail":"Not Found"}', 'Not Found'],
  ['{"error":{"message":" \\u0000 "}}', null],
  ['{"error":{"message":5}}', null],
  ['<html>', null],
  ['null', null],
  [`{"error":"${'x'.repeat(300)}"}`, 'x'.repeat(300)],
  [`{"error":"${'x'.repeat(1000)}"}`, `${'x'.repeat(300)}…`],
])('returns the error message in %j', (json, message) => {
  expect(serviceErrorMessage(json)).toBe(message);
});
