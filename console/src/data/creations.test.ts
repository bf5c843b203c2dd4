import { expect, it } from 'vitest';
import { applyChange, whileUnanswered } from './creations.ts';

/** A creation that ends when its response arrives, and a list of applied changes. */
function creation(label: string) {
  const done: string[] = [];
  let settle = { answer: (): void => undefined, fail: (_error: Error): void => undefined };
  const created = whileUnanswered(
    'tools',
    label,
    () =>
      new Promise<void>((resolve, reject) => {
        settle = { answer: resolve, fail: reject };
      }),
  ).then(() => undefined);
  return { done, created, answer: () => settle.answer(), fail: (error: Error) => settle.fail(error) };
}

it('keeps events of the feed about a record that is being created until the answer', async () => {
  const { done, created, answer } = creation('mine');
  applyChange('tools', { id: 7, label: 'mine' }, () => done.push('created'));
  // Changed by another page before the response.
  applyChange('tools', { id: 7, label: 'theirs' }, () => done.push('renamed'));
  expect(done).toEqual([]);
  answer();
  await created;
  expect(done).toEqual(['renamed']);
});

it('delays nothing else', async () => {
  const { done, created, answer } = creation('mine');
  applyChange('tools', { id: 8, label: 'theirs' }, () => done.push('tool of another'));
  applyChange('points', { id: 7, label: 'mine' }, () => done.push('point'));
  expect(done).toEqual(['tool of another', 'point']);
  answer();
  await created;
  applyChange('tools', { id: 7, label: 'mine' }, () => done.push('late'));
  expect(done).toEqual(['tool of another', 'point', 'late']);
});

it('waits for all creations with a label, failing ones included', async () => {
  const [first, second] = [creation('mine'), creation('mine')];
  applyChange('tools', { id: 9, label: 'mine' }, () => first.done.push('created'));
  first.answer();
  await first.created;
  expect(first.done).toEqual([]);
  second.fail(new Error('The server cannot be reached.'));
  await expect(second.created).rejects.toThrow('The server cannot be reached.');
  expect(first.done).toEqual(['created']);
});
