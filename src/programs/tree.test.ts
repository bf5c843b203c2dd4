import { describe, expect, it } from 'vitest';
import { farmEventTree, maxNodes, sequenceFields, sequenceTree, versionTree } from './tree.ts';

const sync = { kind: 'sync', args: {} };
const parsed = (text: string): unknown[] => JSON.parse(text) as unknown[];
const emptyScope = { kind: 'scope_declaration', args: {} };

/** Returns the stored fields of a sequence with this body. */
const stored = (body: readonly unknown[], args?: Record<string, unknown>) =>
  sequenceFields(sequenceTree(args, body).root);

const codes = (body: readonly unknown[], args?: Record<string, unknown>) =>
  sequenceTree(args, body).problems.map(({ class: kind, code, path }) => [kind, code, path]);

describe('a stored program', () => {
  it('has kind, args, non-empty body and comment at every level', () => {
    const coordinate = { kind: 'coordinate', args: { x: 1, y: 2.5, z: -3 }, uuid: 'a', body: [], unknown: 'red' };
    const channel = { kind: 'channel', args: { channel_name: 'toast' }, uuid: 'b', body: null, comment: null };
    expect(
      stored([
        { kind: 'move_absolute', args: { location: coordinate, speed: 100 }, uuid: 'c', id: 5, comment: ' here ' },
        { kind: 'send_message', args: { message: ' hi ', message_type: 'info' }, body: [channel], comment: '' },
      ]).body,
    ).toEqual([
      {
        kind: 'move_absolute',
        args: { location: { kind: 'coordinate', args: { x: 1, y: 2.5, z: -3 } }, speed: 100 },
        comment: ' here ',
      },
      {
        kind: 'send_message',
        args: { message: ' hi ', message_type: 'info' },
        body: [{ kind: 'channel', args: { channel_name: 'toast' } }],
        comment: '',
      },
    ]);
  });

  it('always has a version, locals and a body', () => {
    expect(stored([])).toEqual({ args: { version: 20180209, locals: emptyScope }, body: [] });
    expect(stored([], { version: 'new', unknown: 'red', locals: null }).args).toEqual({
      version: 20180209,
      locals: emptyScope,
    });
    expect(stored([], { locals: { ...emptyScope, uuid: 'u', body: [], comment: 'c' } }).args.locals).toEqual({
      ...emptyScope,
      comment: 'c',
    });
  });

  it('keeps blank comments in sequences only', () => {
    const body = [
      { ...sync, comment: ' ' },
      { ...sync, comment: ' x ' },
    ];
    expect(sequenceTree({}, body).root.body?.map(({ comment }) => comment)).toEqual([' ', ' x ']);
    expect(versionTree({}, body).root.body?.map(({ comment }) => comment)).toEqual([undefined, ' x ']);
    expect(farmEventTree(body).root.body?.map(({ comment }) => comment)).toEqual([undefined, ' x ']);
  });

  it('has only text that both databases can store', () => {
    expect(stored([{ kind: 'lua', args: { lua: 'a\0b\ud800' }, comment: '\0' }]).body).toEqual([
      { kind: 'lua', args: { lua: 'ab\ufffd' }, comment: '' },
    ]);
  });

  it('can have names of JavaScript such as __proto__', () => {
    const [node] = stored(
      parsed('[{"kind":"sync","args":{"__proto__":{"kind":"sync","args":{}},"constructor":1}}]'),
    ).body;
    expect(Object.keys(node?.args ?? {})).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(node?.args)).toBe(Object.prototype);
    expect(codes(parsed('[{"__proto__":{"kind":"sync","args":{}}}]'))).toEqual([['structure', 'no_node', '/body/0']]);
    expect(({} as Record<string, unknown>).kind).toBeUndefined();
  });
});

describe('invalid structure', () => {
  it.each([
    { element: { kind: 'sync' } },
    { element: { kind: 'sync', args: [] } },
    { element: { kind: 'sync', args: null } },
    { element: { args: {} } },
    { element: { kind: 5, args: {} } },
    { element: { ...sync, comment: 5 } },
    { element: { ...sync, body: {} } },
    { element: { ...sync, body: 'x' } },
  ])('is an object that is not a node: $element', ({ element }) => {
    expect(codes([sync, element])).toEqual([['structure', 'no_node', '/body/1']]);
    expect(codes([{ kind: 'execute', args: { sequence_id: 1 }, body: [element] }])).toEqual([
      ['structure', 'no_node', '/body/0/body/0'],
    ]);
  });

  it.each([{ element: 'sync' }, { element: 5 }, { element: null }, { element: [sync] }])(
    'counts as a wrong field among the steps: $element',
    ({ element }) => {
      expect(codes([element])).toEqual([['language', 'no_node', '/body/0']]);
      expect(codes([], { locals: { ...emptyScope, body: [element] } })).toEqual([
        ['structure', 'no_node', '/args/locals/body/0'],
      ]);
    },
  );

  it('is a value of the wrong type in an argument', () => {
    expect(codes([{ kind: 'execute', args: { sequence_id: { kind: 'nothing' } } }])).toEqual([]);
    expect(codes([], { locals: {} })).toEqual([]);
  });

  it('is reported with a description and a path', () => {
    expect(sequenceTree({}, [sync, { kind: 'sync' }]).problems[0]?.message).toEqual(
      'Step 2: The body of sequence must hold nodes (objects with `kind` and `args`), not an object whose `args` is not an object.',
    );
    expect(farmEventTree([null]).problems[0]?.message).toEqual(
      'Entry 1: The body of farm_event must hold nodes (objects with `kind` and `args`), not null.',
    );
  });

  it('is reported at most a hundred times', () => {
    expect(codes(Array.from({ length: 3000 }, () => 5)).length).toBe(100);
  });
});

describe('the limits', () => {
  it('allow a hundred levels', () => {
    const nested = (levels: number): object => {
      let node: object = sync;
      for (let i = 1; i < levels; i++)
        node = i % 2 ? { kind: 'x', args: {}, body: [node] } : { kind: 'x', args: { a: node } };
      return node;
    };
    expect(codes([nested(100)])).toEqual([]);
    expect(codes([nested(101)]).map(([, code]) => code)).toEqual(['too_deep']);
    expect(codes([nested(10_000)]).map(([, code]) => code)).toEqual(['too_deep']);
  });

  it('restrict the number of nodes and arguments', () => {
    const many = (count: number) => Array.from({ length: count }, () => sync);
    // The root and its locals are counted.
    expect(codes(many(maxNodes - 2))).toEqual([]);
    // A thousand steps of three nodes and some larger ones.
    expect(maxNodes).toBeGreaterThan(3300);
    expect(maxNodes).toBeLessThanOrEqual(4000);
    expect(codes(many(maxNodes - 1))).toEqual([['structure', 'too_large', '']]);
    expect(codes(many(100_000))).toEqual([['structure', 'too_large', '']]);
    // The root and the scope have two arguments.
    const wide = (count: number) => ({
      kind: 'sync',
      args: Object.fromEntries(many(count).map((_, i) => [`a${i}`, i])),
    });
    expect(codes([wide(20_000 - 2 + 1)])).toEqual([['structure', 'too_large', '']]);
    expect(codes([wide(20_000 - 2)])).toEqual([]);
  });

  it('restrict the total length of text', () => {
    const kinds = 'sequence scope_declaration lua'.length - 2;
    const names = 'version locals lua'.length - 2;
    const lua = (length: number) => ({ kind: 'lua', args: { lua: 'x'.repeat(length) } });
    expect(codes([lua(262_144 - kinds - names)])).toEqual([]);
    expect(codes([lua(262_144 - kinds - names + 1)])).toEqual([['structure', 'too_large', '']]);
    const wide = Array.from({ length: 100 }, () => ({ kind: 'x'.repeat(1000), args: { ['y'.repeat(2000)]: 1 } }));
    expect(codes(wide)).toEqual([['structure', 'too_large', '']]);
    expect(codes([{ ...sync, comment: 'x'.repeat(262_144) }])).toEqual([['structure', 'too_large', '']]);
  });
});
