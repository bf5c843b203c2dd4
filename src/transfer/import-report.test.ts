import { describe, expect, it } from 'vitest';
import { Failure } from '../core/errors.ts';
import { Message } from '../core/message.ts';
import { ImportRemarks } from './import-report.ts';

const text = (sentence: string): Message => new Message(() => sentence);

const done = { mode: 'empty', check: false, taken: {}, reused: {}, back_up: null } as const;

/** Returns the fields of the failure that is thrown; null if there is none. */
function thrown(remarks: ImportRemarks): unknown {
  try {
    remarks.assertNoProblems();
    return null;
  } catch (error) {
    return error instanceof Failure ? error.fields : error;
  }
}

describe('notes about a document', () => {
  it('only make an import fail if they are problems', () => {
    const remarks = new ImportRemarks(false);
    remarks.changed('/points/0/tool_id', text('Cleared.'));
    remarks.lost('/sequences/1', text('Omitted.'));
    remarks.adjusted('/sequences/2', text('Independent.'));
    remarks.omitted('/users', text('Never.'));
    expect(thrown(remarks)).toBeNull();
    expect(remarks.report(done)).toMatchObject({
      ok: true,
      changed: [{ path: '/points/0/tool_id' }, { path: '/sequences/2' }],
      left_out: [{ path: '/sequences/1' }, { path: '/users' }],
      problems: [],
      unlisted: 0,
    });
    remarks.problem('/points/0/x', text('X is invalid.'));
    remarks.problem('/points/0/x', text('Again.'));
    remarks.problem('', text('Not empty.'));
    expect(thrown(remarks)).toEqual({ '/points/0/x': 'X is invalid. Again.', error: 'Not empty.' });
  });

  it('are problems if nothing may be lost, except about values that are never imported', () => {
    const remarks = new ImportRemarks(true);
    remarks.changed('/a', text('Cleared.'));
    remarks.lost('/b', text('Omitted.'));
    remarks.adjusted('/c', text('Independent.'));
    remarks.omitted('/d', text('Never.'));
    expect(thrown(remarks)).toEqual({ '/a': 'Cleared.', '/b': 'Omitted.' });
  });

  it('are limited to a thousand, with a thousand characters each', () => {
    const remarks = new ImportRemarks(false);
    for (let n = 0; n < 1005; n++) remarks.problem(`/points/${n}`, text('x'.repeat(2000)));
    const { problems, unlisted } = remarks.report(done);
    expect([problems.length, unlisted, String(problems[0]?.message).length]).toEqual([1000, 5, 1001]);
  });
});
