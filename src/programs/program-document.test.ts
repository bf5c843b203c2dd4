import { describe, expect, it } from 'vitest';
import { checkDocument, parseProgram } from './program-document.ts';

const wait = (milliseconds: number) => ({ kind: 'wait', args: { milliseconds } });
const execute = (sequence_id: number) => ({ kind: 'execute', args: { sequence_id } });

describe('a program in a file', () => {
  it.each([
    ['steps', [wait(1), execute(7)]],
    ['args and body', { args: {}, body: [wait(1), execute(7)] }],
    ['a sequence', { id: 5, name: 'Water', kind: 'sequence', color: 'red', args: null, body: [wait(1), execute(7)] }],
    ['a nested sequence', { sequence: { name: 'Water', body: [wait(1), execute(7)] } }],
  ])('may be %s', (_what, value) => {
    expect(checkDocument(value)).toEqual({ problems: [], steps: 2, referenceCount: 1, hint: null });
  });

  it('gets all its problems, but no check of records', () => {
    const point = { kind: 'point', args: { pointer_type: 'Plant', pointer_id: 9 } };
    const offset = { kind: 'coordinate', args: { x: 1, y: 2, z: 'deep' } };
    const { problems } = checkDocument([
      { kind: 'dance', args: {} },
      { kind: 'move_absolute', args: { location: point, offset, speed: 100 } },
      execute(0),
      wait(200_000),
    ]);
    expect(problems.map(({ path, code }) => [path, code])).toEqual([
      ['/body/0', 'unknown_kind'],
      ['/body/1/args/offset/args/z', 'wrong_type'],
      ['/body/2/args/sequence_id', 'unpicked'],
      ['/body/3/args/milliseconds', 'too_great'],
    ]);
  });

  it.each([[null], [5], ['text'], [{}], [{ body: null }], [{ body: {} }], [{ sequence: { body: 'x' } }]])(
    'is not %j',
    (value) => {
      expect(checkDocument(value)).toMatchObject({
        problems: [
          {
            class: 'structure',
            code: 'wrong_type',
            path: '/body',
            message: 'The "body" of a sequence must be a list of steps.',
          },
        ],
        steps: 0,
        referenceCount: 0,
        hint: null,
      });
    },
  );

  it('must have an object as args', () => {
    expect(parseProgram([], [])).toMatchObject({ problems: [{ path: '/args', code: 'wrong_type' }] });
    expect(parseProgram('x', [])).toMatchObject({ problems: [{ path: '/args' }] });
    expect(parseProgram(undefined, [])).toHaveProperty('tree');
  });
});
