import { describe, expect, it } from 'vitest';
import type { Json } from '../support/json.ts';
import {
  differences,
  type NormalizationContext,
  normalize,
  unorderedDifferences,
  type Variable,
} from './comparison.ts';
import { report } from './runner.ts';
import { recordings, scenariosOf } from './scenario.ts';

const variables = new Map<string, Variable>([
  ['a.email', { value: 'a.x.1@example.com', family: 'users' }],
  ['a.user', { value: 4, family: 'users' }],
  ['a.device', { value: 4, family: 'device' }],
  ['t', { value: 7, family: 'tools' }],
  ['p', { value: 7, family: 'points' }],
  ['q', { value: 9, family: 'points' }],
]);

const normal = (value: Json, changes: Partial<NormalizationContext> = {}): Json =>
  normalize(value, { variables, family: 'tools', status: 200, any: [], exactTimes: new Set(), ...changes });

describe('normalize', () => {
  it('names ids by the resource they belong to', () => {
    expect(normal({ id: 7, tool_id: 7, pointer_id: 9, device_id: 4 })).toEqual({
      id: '{{t}}',
      tool_id: '{{t}}',
      pointer_id: '{{q}}',
      device_id: '{{a.device}}',
    });
  });

  it('returns all matching names if the resource is unknown', () => {
    expect(normal({ executable_id: 7 })).toEqual({ executable_id: '{{t}}|{{p}}' });
  });

  it('names an unexpected id by the record that has it', () => {
    expect(normal({ id: 9, tool_id: 9 })).toEqual({ id: '<id>', tool_id: '{{q}}' });
  });

  it('names ids in lists', () => {
    expect(normal({ point_ids: [7, 9, 12] })).toEqual({ point_ids: ['{{p}}', '{{q}}', '<id>'] });
  });

  it('keeps ids of no record', () => {
    expect(normal({ id: 0, tool_id: -1, sensor_id: null })).toEqual({ id: 0, tool_id: -1, sensor_id: null });
  });

  it('replaces times, tokens and UUIDs', () => {
    expect(normal(['2026-11-21T10:00:00.123Z', '2026-11-21 10:00:00 UTC', 'eyJhbGciOiJ9.eyJhdWQi.c2ln-_'])).toEqual([
      '<time>',
      '<time>',
      '<jwt>',
    ]);
    expect(normal({ label: '01234567-89ab-cdef-0123-456789abcdef', created_at: 1763719200, pin_time: 5 })).toEqual({
      label: '<uuid>',
      created_at: '<unix>',
      pin_time: 5,
    });
  });

  it('keeps times of the request if they are compared', () => {
    const exactTimes = new Set(['2026-11-21T10:00:00.000Z']);
    expect(normal(['2026-11-21T10:00:00.000Z', '2026-11-21T10:00:00.001Z'], { exactTimes })).toEqual([
      '2026-11-21T10:00:00.000Z',
      '<time>',
    ]);
  });

  it('replaces the e-mail addresses of accounts with names', () => {
    expect(normal({ to: 'to a.x.1@example.com!' })).toEqual({ to: 'to {{a.email}}!' });
  });

  it('keeps the keys of failures and removes their messages', () => {
    expect(normal({ error: 'no', list: ['a', null] }, { status: 422 })).toEqual({
      error: '<text>',
      list: ['<text>', null],
    });
    expect(normal('plain', { status: 422 })).toBe('plain');
  });

  it('omits paths that are not compared', () => {
    const value = { token: { iat: 5, sub: 6 }, list: [{ url: 'x' }], sync: [[1, 'y']] };
    expect(normal(value, { any: ['$.token.iat', '$.list[*].url', '$.sync[*][*]'] })).toEqual({
      token: { iat: '<any>', sub: 6 },
      list: [{ url: '<any>' }],
      sync: [['<any>', '<any>']],
    });
    expect(normal({ tools: [[1, 'y']] }, { any: ['$.*[*][*]'] })).toEqual({ tools: [['<any>', '<any>']] });
    expect(normal({ a: 1 }, { any: ['$'] })).toBe('<any>');
    expect(normal({ axb: 1 }, { any: ['$.a.b'] })).toEqual({ axb: 1 });
  });
});

describe('differences', () => {
  it('returns none for equal values', () => {
    expect(differences({ a: [1, null, { b: 'c' }] }, { a: [1, null, { b: 'c' }] })).toEqual([]);
  });

  it('returns the path of each', () => {
    expect(differences({ a: 1, b: [1, 2], c: 'x' }, { a: '1', b: [1], d: null })).toEqual([
      '$.a: wanted 1, got "1"',
      '$.b: wanted 2 items, got 1',
      '$.c: missing',
      '$.d: unexpected, and not declared as addition()',
    ]);
  });

  it('distinguishes null, missing, objects and lists', () => {
    expect(differences({ a: null }, {})).toEqual(['$.a: missing']);
    expect(differences({}, [])).toEqual(['$: wanted {}, got []']);
    expect(differences([], {})).toEqual(['$: wanted [], got {}']);
    expect(differences('', null)).toEqual(['$: wanted "", got null']);
  });

  it('accepts any value, or none, for <any>', () => {
    expect(differences({ a: '<any>', b: '<any>' }, { a: [1] })).toEqual([]);
  });

  it('requires a non-empty text for <text>', () => {
    expect(differences({ error: '<text>' }, { error: 'gone' })).toEqual([]);
    expect(differences({ error: '<text>' }, { error: '' })).toEqual(['$.error: wanted some text, got ""']);
    expect(differences({ error: '<text>' }, { error: { jwt: 'x' } })).toHaveLength(1);
  });

  it('accepts any of the names of an ambiguous id', () => {
    expect(differences('{{p}}', '{{t}}|{{p}}')).toEqual([]);
    expect(differences('{{t}}|{{p}}', '{{p}}')).toEqual([]);
    expect(differences('<id>', '{{p}}')).toEqual([]);
    expect(differences('{{p}}', '<id>')).toHaveLength(1);
    expect(differences('{{p}}', '{{q}}')).toHaveLength(1);
  });

  it('accepts additional fields and lists only where they are declared as additions', () => {
    expect(differences({ id: '<id>' }, { id: '<id>', account_seeded_at: null }, 'device')).toEqual([]);
    expect(differences([{ id: '<id>' }], [{ id: '<id>', dark_mode: false }], 'web_app_config')).toEqual([]);
    expect(differences({ sensors: [] }, { sensors: [], scene_objects: [] })).toEqual([]);
    expect(differences({ id: '<id>' }, { id: '<id>', darkness: false, disable_animations: true })).toEqual([
      '$.darkness: unexpected, and not declared as addition()',
      '$.disable_animations: unexpected, and not declared as addition()',
    ]);
  });

  it('accepts an addition of one resource in no other', () => {
    const unexpected = ['$.type: unexpected, and not declared as addition()'];
    expect(differences({ id: '<id>' }, { id: '<id>', type: 'seeder' }, 'tools')).toEqual([]);
    for (const family of ['curves', 'points', 'device', 'nothing'])
      expect(differences({ id: '<id>' }, { id: '<id>', type: 'seeder' }, family)).toEqual(unexpected);
    expect(differences({ meta: {} }, { meta: { type: '' } }, 'tools')).toEqual([
      '$.meta.type: unexpected, and not declared as addition()',
    ]);
  });

  it('knows the resource of records in exports and announcements', () => {
    const exported = { curves: [{ id: '<id>', type: 'water' }], tools: [{ id: '<id>', type: 'none' }] };
    expect(differences({ curves: [{ id: '<id>' }], tools: [{ id: '<id>' }] }, exported, 'export_data')).toEqual([
      '$.curves[0].type: unexpected, and not declared as addition()',
    ]);
    const message = (name: string, body: Json) => ({ topic: `bot/b/sync/${name}/<id>`, body: { args: {}, body } });
    const [plain, typed] = [{ id: '<id>' }, { id: '<id>', type: 'none' }];
    expect(unorderedDifferences([message('Sensor', plain)], [message('Sensor', typed)])).toEqual([]);
    expect(unorderedDifferences([message('Curve', plain)], [message('Curve', typed)])).toHaveLength(1);
  });
});

describe('unorderedDifferences', () => {
  it('matches items in any order, each once', () => {
    expect(unorderedDifferences([{ a: 1 }, { a: 2 }], [{ a: 2 }, { a: 1 }])).toEqual([]);
    expect(unorderedDifferences([1, 1, 2], [1, 2, 2])).toEqual(['$[1]: wanted 1, which is not in [2,2]']);
    expect(unorderedDifferences([1], [1, 2])).toEqual(['$: wanted 1 items, got 2']);
    expect(unorderedDifferences([1], { error: '<text>' })).toEqual(['$: wanted [1], got {"error":"<text>"}']);
  });
});

describe('report', () => {
  it('includes the request and stops at the limit', () => {
    const wrong = [
      { index: 2, request: 'GET /api/tools', differences: ['status: wanted 200, got 404', '$: wanted [], got {}'] },
      { index: 3, request: 'GET /api/points', differences: ['status: wanted 200, got 404'] },
    ];
    expect(report(wrong, 2)).toBe(
      [
        '3 differences',
        'step 2 GET /api/tools',
        '    status: wanted 200, got 404',
        '    $: wanted [], got {}',
        'and 1 more',
      ].join('\n'),
    );
  });
});

describe('the recordings', () => {
  const recorded = recordings.flatMap((file) => scenariosOf(file).map((scenario) => `${file}: ${scenario.name}`));

  it('have unique names', () => {
    expect(recorded).toHaveLength(282);
    expect(new Set(recorded).size).toBe(recorded.length);
  });
});
