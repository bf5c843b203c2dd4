import { describe, expect, it } from 'vitest';
import { LimitedLog } from './limited-log.ts';

describe('the log of refusals', () => {
  it('has twenty lines in a second, and one with the number of the others', () => {
    const lines: string[] = [];
    const time = { now: 5_000_000 };
    const write = (object: object, message: string) => lines.push(`${message} ${JSON.stringify(object)}`);
    const log = new LimitedLog({ debug: write, info: write, warn: write, error: write }, { now: () => time.now });
    for (let index = 0; index < 50; index++) log.info({ index }, 'refused');
    expect(lines).toHaveLength(20);
    expect(lines.at(-1)).toBe('refused {"index":19}');
    time.now += 1000;
    log.info({ index: 50 }, 'refused');
    expect(lines.slice(20)).toEqual([
      'the message broker refused more clients than are told here {"lines":30}',
      'refused {"index":50}',
    ]);
    log.stop();
    expect(lines).toHaveLength(22);
  });
});
