import { expect, it } from 'vitest';
import { edit, redo, startHistory, undo } from './edit-history.ts';

it('undoes typing in one field in one step, and redoes it', () => {
  let history = startHistory('');
  for (const text of ['a', 'ab', 'abc']) history = edit(history, text, 'name');
  history = edit(history, 'moved');
  expect(undo(history).present).toBe('abc');
  expect(undo(undo(history)).present).toBe('');
  expect(undo(undo(undo(history))).present).toBe('');
  expect(redo(undo(undo(history))).present).toBe('abc');
});

it('drops undone changes when another part is edited', () => {
  const history = edit(undo(edit(startHistory(1), 2)), 3);
  expect(redo(history).present).toBe(3);
  expect(undo(history).present).toBe(1);
});

it('begins a new edit of the same field after an undo', () => {
  const undone = undo(edit(edit(startHistory('a'), 'b', 'name'), 'c', null));
  expect(undo(edit(undone, 'd', 'name')).present).toBe('b');
});
