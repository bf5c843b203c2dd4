import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { captureStrayOutput } from './stray-output.ts';

function captured() {
  const lines: [string, object][] = [];
  const raw: string[] = [];
  const stream = () => ({ write: (text: unknown) => raw.push(String(text)) > 0 });
  const codes: number[] = [];
  const target = Object.assign(new EventEmitter(), {
    stdout: stream(),
    stderr: stream(),
    exit: (code: number) => void codes.push(code),
  });
  target.on('warning', ({ message }: Error) => raw.push(message));
  const line = (level: string) => (fields: object) => void lines.push([level, fields]);
  const log = {
    debug: line('debug'),
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
    fatal: line('fatal'),
  };
  return { lines, raw, codes, target, restore: captureStrayOutput(log, target) };
}

it('puts output outside of the log into its lines, until it is ended', async () => {
  const { lines, raw, target, restore } = captured();
  target.stdout.write('a library\n');
  await new Promise((resolve) => (target.stderr.write as (...args: unknown[]) => boolean)(Buffer.from('ü'), resolve));
  target.emit('warning', new RangeError('too many listeners'));
  expect(lines).toEqual([
    ['warn', { output: 'a library?' }],
    ['warn', { output: 'ü' }],
    ['warn', { output: 'RangeError: too many listeners', stack: expect.stringContaining('stray-output.test.ts:') }],
  ]);
  expect(raw).toEqual([]);
  restore();
  target.stdout.write('one');
  target.emit('warning', new Error('two'));
  expect(raw).toEqual(['one', 'two']);
  expect(lines).toHaveLength(3);
});

it('limits their number', () => {
  const { lines, target } = captured();
  for (let i = 0; i < 1000; i++) target.stderr.write('x'.repeat(10_000));
  // Two windows, if the minute ends in between.
  expect(lines.length).toBeGreaterThanOrEqual(60);
  expect(lines.length).toBeLessThanOrEqual(120);
  expect(lines[0]?.[1]).toEqual({ output: `${'x'.repeat(80)}…` });
});

it('logs warnings of Node with their subject and origin, not more', () => {
  const { lines, target } = captured();
  const warning = new Error(`11 topic listeners added to [Announcer], ${'x'.repeat(10_000)}`);
  warning.name = 'MaxListenersExceededWarning';
  warning.stack = [
    'MaxListenersExceededWarning: Possible leak',
    '    at _addListener (node:events:587:17)',
    ...['one', 'two', 'three', 'four'].map((name) => `    at ${name} (file:///app/main.js:1:2)`),
  ].join('\n');
  target.emit('warning', warning);
  const stack =
    'at one (file:///app/main.js:1:2), at two (file:///app/main.js:1:2), at three (file:///app/main.js:1:2)';
  expect(lines).toEqual([['warn', { output: expect.any(String), stack }]]);
  const output = `MaxListenersExceededWarning: ${warning.message}`;
  expect(lines[0]?.[1]).toMatchObject({ output: `${output.slice(0, 500)}…` });
});

it('writes an unexpected error with its causes to the log and to the standard error, and ends the process', () => {
  const { lines, raw, codes, target } = captured();
  // Properties of errors may be secrets.
  const cause = Object.assign(new TypeError('Invalid URL'), { input: 'smtp://ada:secret@example.com' });
  target.emit('uncaughtException', new Error('unforeseen', { cause }));
  const reason = expect.stringMatching(
    /^Error: unforeseen\n {4}at [\s\S]+\nCaused by: TypeError: Invalid URL\n {4}at /,
  );
  expect(lines).toEqual([['fatal', { reason }]]);
  expect(raw).toEqual([
    expect.stringMatching(/^An unexpected error ends the server:\nError: unforeseen\n {4}at [\s\S]+\n$/),
  ]);
  expect(raw[0]).toContain('Caused by: TypeError: Invalid URL\n    at ');
  expect(JSON.stringify([lines, raw])).not.toContain('secret');
  expect(codes).toEqual([1]);
});

it('ends the process for an error that is its own cause', () => {
  const { codes, target } = captured();
  const error = new Error('unforeseen');
  error.cause = error;
  target.emit('uncaughtException', error);
  expect(codes).toEqual([1]);
});
