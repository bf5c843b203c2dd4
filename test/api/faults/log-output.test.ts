import { closeSync, fstatSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LogOutput } from '../../../src/core/log-output.ts';

let folder: string;
let path: string;
let fd: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'potager-log-'));
  path = join(folder, 'log');
  fd = openSync(path, 'a');
});

afterEach(() => {
  closeSync(fd);
  rmSync(folder, { recursive: true });
});

it('writes lines in order', async () => {
  const output = new LogOutput({ fd });
  const lines = Array.from({ length: 1000 }, (_, i) => `line ${i} é\n`);
  for (const line of lines) output.write(line);
  await expect.poll(() => readFileSync(path, 'utf8')).toBe(lines.join(''));
});

it('keeps lines while the output fails, drops and counts the ones beyond the limit, and reports them', async () => {
  // A descriptor that fails as a full disk does, until a file is opened under its number. Unit tests share descriptors with
  // the ones of other threads, so this one is not among them.
  closeSync(fd);
  const full = openSync('/dev/full', 'a');
  expect(full).toBe(fd);
  const events: string[] = [];
  const output: LogOutput = new LogOutput({
    fd,
    maxWaiting: 10,
    retryInterval: 20,
    onDrop: () => events.push('dropped'),
    onRecovery: (lines) => {
      events.push(`recovered: ${lines}`);
      output.write(`lost ${lines}\n`);
    },
  });
  output.write('one\n');
  // The attempts fail in between. Whether another one is in progress afterwards makes no difference.
  await new Promise((resolve) => setTimeout(resolve, 50));
  for (const line of ['two\n', 'three\n', 'four\n', 'five\n']) output.write(line);
  expect(events).toEqual(['dropped', 'dropped']);
  closeSync(full);
  fd = openSync(path, 'a');
  expect(fd).toBe(full);
  expect(fstatSync(fd).isFile()).toBe(true);
  await expect.poll(() => readFileSync(path, 'utf8')).toBe('one\ntwo\nthree\nlost 2\n');
  expect(events).toEqual(['dropped', 'dropped', 'recovered: 2']);
});

it('reports dropped lines when there is room for the report', async () => {
  const output: LogOutput = new LogOutput({
    fd,
    maxWaiting: 10,
    onRecovery: (lines) => output.write(`lost ${lines}\n`),
  });
  // The first line is being written while the others come.
  for (const line of ['one\n', 'two\n', 'three\n', 'four\n', 'five\n']) output.write(line);
  await expect.poll(() => readFileSync(path, 'utf8')).toBe('one\ntwo\nthree\nlost 2\n');
});
