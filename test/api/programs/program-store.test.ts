import { beforeAll, expect, it } from 'vitest';
import type { DeviceScope } from '../../../src/db/scope.ts';
import { checkProgram } from '../../../src/programs/checker.ts';
import { programReferences } from '../../../src/programs/program-references.ts';
import {
  assertProgram,
  deleteUses,
  findExistingRecords,
  findProgramProblems,
  ProgramError,
  storeUses,
} from '../../../src/programs/program-store.ts';
import { farmEventTree, regimenTree, sequenceTree } from '../../../src/programs/tree.ts';
import { describeEngines } from '../../support/engines.ts';
import { suiteEventClient } from '../../support/event-recording-client.ts';

const execute = (sequence_id: number) => ({ kind: 'execute', args: { sequence_id } });
const origin = { kind: 'coordinate', args: { x: 0, y: 0, z: 0 } };
const move = (location: object) => ({ kind: 'move_absolute', args: { location, offset: origin, speed: 1 } });
const tool = (tool_id: number) => ({ kind: 'tool', args: { tool_id } });
const plant = (pointer_id: number) => ({ kind: 'point', args: { pointer_type: 'Plant', pointer_id } });
const applied = (data_value: object) => [{ kind: 'parameter_application', args: { label: 'where', data_value } }];

describeEngines('programs and the records that they name', (engine) => {
  const client = suiteEventClient(engine);
  let scope: DeviceScope;
  beforeAll(async () => {
    scope = client.server.app.server().device(client.account.deviceId);
  });

  const inTransaction = <T>(work: (inner: DeviceScope) => Promise<T>): Promise<T> => scope.transaction(work);
  const usesOfOwner = async (owner_id: number) =>
    (await scope.rows(programReferences, { where: { owner_kind: 'Sequence', owner_id } })).map(
      ({ target_kind, target_id }) => `${target_kind} ${target_id}`,
    );

  it('are queried once per table', async () => {
    const point = await client.create('points');
    const hoe = await client.create('tools');
    const steps = Array.from({ length: 500 }, (_, i) => [execute(i + 1), move(tool(hoe + i)), move(plant(point + i))]);
    let queries = 0;
    const counted =
      (name: 'rows' | 'select') =>
      (...requested: unknown[]): unknown => {
        queries++;
        return Reflect.apply(scope[name], scope, requested);
      };
    const counting: DeviceScope = Object.create(scope, {
      rows: { value: counted('rows') },
      select: { value: counted('select') },
    });
    const { diagnostics } = checkProgram(sequenceTree(null, steps.flat()), 'all');
    const existing = await findExistingRecords(counting, diagnostics, null);
    expect(queries).toBe(3);
    expect(existing.get('points')?.get(point)).toBe('Plant');
    expect(existing.get('tools')?.has(hoe)).toBe(true);
    expect(existing.get('tools')?.has(hoe + 499)).toBe(false);
  });

  it('return the first problem, or at most a hundred', async () => {
    const unknown = 999_999_999;
    const body = [execute(unknown), move(tool(unknown)), { kind: 'wait', args: { milliseconds: 'x' } }];
    const tree = sequenceTree(null, body);
    const refusal = await assertProgram(scope, tree, null).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ProgramError);
    expect(refusal).toMatchObject({
      problem: { class: 'language', code: 'not_found', path: '/body/0/args/sequence_id' },
    });
    expect((await findProgramProblems(scope, tree, null)).map(({ path, code }) => `${path} ${code}`)).toEqual([
      '/body/0/args/sequence_id not_found',
      '/body/1/args/location/args/tool_id not_found',
      '/body/2/args/milliseconds wrong_type',
    ]);
    const many = Array.from({ length: 150 }, () => execute(unknown));
    expect(await findProgramProblems(scope, sequenceTree(null, many), null)).toHaveLength(100);
  });

  it('are in use while their uses are stored', async () => {
    const hoe = await client.create('tools');
    const rake = await client.create('tools');
    const owner = { kind: 'Sequence', id: 123_456 } as const;
    const keep = (...ids: number[]) =>
      inTransaction(async (inner) => {
        const tree = sequenceTree(
          null,
          ids.map((id) => move(tool(id))),
        );
        await storeUses(inner, owner, await assertProgram(inner, tree, null));
      });
    await keep(hoe, rake, hoe);
    expect(await usesOfOwner(owner.id)).toEqual([`tool ${hoe}`, `tool ${rake}`]);
    const rows = await scope.rows(programReferences, { where: { owner_id: owner.id } });
    await keep(rake, hoe);
    // Unchanged rows were not written again.
    expect(await scope.rows(programReferences, { where: { owner_id: owner.id } })).toEqual(rows);
    await keep(rake);
    expect(await usesOfOwner(owner.id)).toEqual([`tool ${rake}`]);
    await keep(hoe);
    expect(await usesOfOwner(owner.id)).toEqual([`tool ${hoe}`]);
    await inTransaction((inner) => deleteUses(inner, owner));
    expect(await usesOfOwner(owner.id)).toEqual([]);
  });

  it('may be archived points only in the program that already names them', async () => {
    const point = await client.create('points');
    const body = applied(plant(point));
    const regimen = await client.create('regimens', { body });
    const event = await client.create('farm_events', { body });
    const other = await client.create('regimens');
    await inTransaction(async (inner) => {
      for (const owner of [
        { kind: 'Regimen', id: regimen },
        { kind: 'FarmEvent', id: event },
      ] as const)
        await deleteUses(inner, owner);
    });
    await client.requestOk('DELETE', `/api/points/${point}`);
    await assertProgram(scope, regimenTree(body), { kind: 'Regimen', id: regimen });
    await assertProgram(scope, farmEventTree(body), { kind: 'FarmEvent', id: event });
    for (const owner of [null, { kind: 'Regimen', id: other }, { kind: 'Sequence', id: regimen }] as const)
      await expect(assertProgram(scope, regimenTree(body), owner)).rejects.toThrow(ProgramError);
  });
});
