import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { captureStrayOutput } from './stray-output.ts';

function captured() {
  const lines: [string, object][] = [];
  const raw: string[] = [];
  const stream = () => ({ write: (text: unknown) => raw.push(String(text)) > 0 });
  const codes: number[] = [];
  const target = Object.assign(new EventEmitter(), {
    ...{ stdout: stream(), stderr: stream() },
    exit: (code: number) => void codes.push(code),
  });
  target.on('warning', ({ message }: Error) => raw.push(message));
  const line = (level: string) => (fields: object) => void lines.push([level, fields]);
  const log = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
  return { lines, raw, codes, target, restore: captureStrayOutput(log, target) };
}

it('puts what is written outside of the log into its lines, until it is ended', async () => {
  const { lines, raw, target, restore } = captured();
  target.stdout.write('a library\n');
  await new Promise((resolve) => (target.stderr.write as (...args: unknown[]) => boolean)(Buffer.from('ü'), resolve));
  target.emit('warning', new RangeError('too many listeners'));
  expect(lines).toEqual([
    ['warn', { output: 'a library?' }],
    ['warn', { output: 'ü' }],
    ['warn', { output: 'RangeError: too many listeners' }],
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
  // Two windows, if the minute ends meanwhile.
  expect(lines.length).toBeGreaterThanOrEqual(60);
  expect(lines.length).toBeLessThanOrEqual(120);
  expect(lines[0]?.[1]).toEqual({ output: `${'x'.repeat(80)}…` });
});

it('logs an unexpected error before it ends the process', () => {
  const { lines, codes, target } = captured();
  target.emit('uncaughtException', new Error('unforeseen'));
  expect(lines).toEqual([['error', { reason: expect.stringMatching(/^Error: unforeseen\n {4}at /) }]]);
  expect(codes).toEqual([1]);
});
