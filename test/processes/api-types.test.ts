import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { suiteApp } from '../support/app.ts';

const root = resolve(import.meta.dirname, '../..');
const server = suiteApp('sqlite');

const declarations = `
import type { components, paths } from './types.d.ts';
type Step = components['schemas']['Step'];
type Body<P extends keyof paths> =
  paths[P]['post'] extends { requestBody: { content: { 'application/json': infer B } } } ? B : never;
declare function post<P extends keyof paths>(path: P, body: Body<P>): void;
const steps = (...body: Step[]) => post('/api/sequences', { name: 'Water', body });
const nothing = { kind: 'nothing', args: {} } as const;
const zero = { kind: 'coordinate', args: { x: 0, y: 0, z: 0 } } as const;
export { post, steps, nothing, zero };
`;

const accepted = `
steps({ kind: 'wait', args: { milliseconds: 1000 } });
steps({ kind: 'wait', args: { milliseconds: 1000 }, comment: 'let it settle' });
steps({ kind: 'move_absolute', args: { location: { kind: 'tool', args: { tool_id: 3 } }, offset: zero, speed: 100 } });
steps({
  kind: '_if',
  args: { lhs: 'x', op: '<', rhs: 5, _then: { kind: 'execute', args: { sequence_id: 7 } }, _else: nothing },
});
steps({
  kind: 'move',
  args: {},
  body: [
    { kind: 'axis_overwrite', args: { axis: 'x', axis_operand: { kind: 'numeric', args: { number: 5 } } } },
    { kind: 'safe_z', args: {} },
  ],
});
steps({
  kind: 'read_pin',
  args: { pin_number: { kind: 'named_pin', args: { pin_type: 'Sensor', pin_id: 5 } }, label: 'soil', pin_mode: 1 },
});
post('/api/sequences', {
  name: 'Visit',
  args: {
    locals: {
      kind: 'scope_declaration',
      args: {},
      body: [
        { kind: 'parameter_declaration', args: { label: 'bed', default_value: { kind: 'location_placeholder', args: {} } } },
      ],
    },
  },
  body: [
    { kind: 'move_absolute', args: { location: { kind: 'identifier', args: { label: 'bed' } }, offset: zero, speed: 1 } },
  ],
});
export const wait: components['schemas']['Wait'] = { kind: 'wait', args: { milliseconds: 1 } };
export const duration = (step: Step): number => (step.kind === 'wait' ? step.args.milliseconds : 0);
type Sequence = paths['/api/sequences/{id}']['get']['responses'][200]['content']['application/json'];
export const changed = ({ name, body }: Sequence) => post('/api/sequences', { name, body: [...body, wait] });
`;

const rejected = [
  ['an argument of another type', `steps({ kind: 'wait', args: { milliseconds: '1000' } });`],
  ['an argument of another kind', `steps({ kind: 'wait', args: { milliseconds: 1, speed: 1 } });`],
  ['a missing argument', `steps({ kind: 'wait', args: {} });`],
  ['an unknown kind', `steps({ kind: 'sleep', args: { milliseconds: 1 } });`],
  ['a value outside its list', `steps({ kind: 'find_home', args: { axis: 'w', speed: 1 } });`],
  ['a part as a step', `steps({ kind: 'safe_z', args: {} });`],
  ['a step as a part', `steps({ kind: 'move', args: {}, body: [{ kind: 'wait', args: { milliseconds: 1 } }] });`],
  [
    'a step as a branch',
    `steps({ kind: '_if', args: { lhs: 'x', op: '<', rhs: 5, _then: { kind: 'wait', args: { milliseconds: 1 } }, _else: nothing } });`,
  ],
  ['a body of a kind without one', `steps({ kind: 'wait', args: { milliseconds: 1 }, body: [] });`],
  ['an unknown field', `post('/api/sequences', { name: 'Water', body: [], nmae: 'x' });`],
  ['a missing field', `post('/api/sequences', { body: [] });`],
] as const;

describe('the types of a client', () => {
  const folder = mkdtempSync(join(tmpdir(), 'potager-types-'));
  const errors = new Map<string, string[]>();
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  beforeAll(() => {
    const input = JSON.stringify(server.app.openapi());
    const { stdout } = spawnSync(process.execPath, [join(root, 'scripts/api-types.mjs')], { input });
    const sources = {
      'types.d.ts': stdout,
      'accepted.ts': declarations + accepted,
      ...Object.fromEntries(rejected.map(([, statement], i) => [`rejected-${i}.ts`, declarations + statement])),
    };
    for (const [name, source] of Object.entries(sources)) writeFileSync(join(folder, name), source);
    const files = Object.keys(sources).map((name) => join(folder, name));
    const options = [
      '--noEmit',
      '--strict',
      '--exactOptionalPropertyTypes',
      '--allowImportingTsExtensions',
      '--pretty',
      'false',
    ];
    const compiler = join(root, 'scripts/node_modules/.bin/tsc');
    const compiled = spawnSync(compiler, [...options, ...files], { cwd: folder, encoding: 'utf8' });
    for (const line of compiled.stdout.split('\n')) {
      const [, file, error] = /^(\S+?)\(\d+,\d+\): error (.*)$/.exec(line) ?? [];
      if (file !== undefined) errors.set(file, [...(errors.get(file) ?? []), String(error)]);
    }
  });

  it('accept the same as the server', () => {
    expect(errors.get('accepted.ts')).toBeUndefined();
    expect(errors.get('types.d.ts')).toBeUndefined();
  });

  it.each(rejected.map(([what], i) => [what, i] as const))('reject %s', (_what, i) => {
    // Neither a syntax error nor a missing name.
    expect(errors.get(`rejected-${i}.ts`)?.join()).toMatch(/^TS2(322|345|353|741|769)\b/);
  });
});
