import { expect, it } from 'vitest';
import type { Event } from '../../src/core/events.ts';
import { callsOf } from '../support/account-calls.ts';
import type { Document } from '../support/account-transfer.ts';
import { exportAccount, sendImport } from '../support/account-transfer.ts';
import { suiteApp } from '../support/app.ts';
import { describeEngines } from '../support/engines.ts';

const planting = { depth: 15, planted_at: '2026-05-01T10:00:00.000Z' };
const curveFields = ['water_curve_id', 'spread_curve_id', 'height_curve_id'] as const;

describeEngines('saved gardens', (engine) => {
  const server = suiteApp(engine);

  /** A garden with a plant that has all there is, and its snapshot. */
  async function planted() {
    const account = await server.signUp();
    const { call, ok } = callsOf(server, account);
    const curves: Record<string, number> = {};
    for (const [index, field] of curveFields.entries())
      curves[field] = (await ok('POST', '/api/curves', { name: field, type: 'water', data: { 1: index, 9: 5 } })).id;
    const place = { name: 'Leek', openfarm_slug: 'leek', x: 10, y: 20.5, z: -3, radius: 40 };
    const kept = { ...place, ...planting, ...curves };
    await ok('POST', '/api/points', {
      pointer_type: 'Plant',
      plant_stage: 'sprouted',
      meta: { color: 'red' },
      ...kept,
    });
    await ok('POST', '/api/saved_gardens/snapshot', { name: 'May' });
    const [garden] = await ok('GET', '/api/saved_gardens');
    return { account, call, ok, kept, curves, garden: garden.id };
  }

  it('keep depth, date of planting and curves of plants, which come back planned', async () => {
    const { ok, kept, garden } = await planted();
    expect(await ok('GET', '/api/plant_templates')).toMatchObject([{ saved_garden_id: garden, ...kept }]);
    await ok('POST', `/api/saved_gardens/${garden}/apply`);
    const plants = await ok('GET', '/api/points');
    expect(plants).toMatchObject([{ ...kept, plant_stage: 'planned', meta: {} }]);
    await ok('DELETE', `/api/points/${plants[0].id}`);
    await ok('PATCH', `/api/saved_gardens/${garden}/apply`);
    expect(await ok('GET', '/api/points')).toMatchObject([{ ...kept, plant_stage: 'planned' }]);
  });

  it('have templates without them for clients that send none, and refuse others', async () => {
    const { call, ok, garden, curves } = await planted();
    const place = { saved_garden_id: garden, x: 1, y: 2 };
    const { id } = await ok('POST', '/api/plant_templates', place);
    const [, template] = await ok('GET', '/api/plant_templates');
    expect(template).toMatchObject({ id, depth: 0, planted_at: null, water_curve_id: null, height_curve_id: null });
    expect(await ok('PATCH', `/api/plant_templates/${id}`, { ...planting, ...curves })).toMatchObject(planting);
    expect(await ok('PATCH', `/api/plant_templates/${id}`, { x: 7 })).toMatchObject({ ...planting, ...curves, x: 7 });
    const others = await planted();
    for (const [field, value] of [
      ['depth', 'deep'],
      ['planted_at', 'soon'],
      ['water_curve_id', others.curves.water_curve_id],
    ] as const) {
      const { status, json } = await call('PATCH', `/api/plant_templates/${id}`, { [field]: value });
      expect([status, Object.keys(json)]).toEqual([422, [field]]);
    }
    const emptied = { planted_at: null, water_curve_id: null };
    expect(await ok('PATCH', `/api/plant_templates/${id}`, emptied)).toMatchObject(emptied);
  });

  it('lose a deleted curve, which is announced, and get it back with it', async () => {
    const { account, ok, curves } = await planted();
    const [plant] = await ok('GET', '/api/points');
    await ok('DELETE', `/api/points/${plant.id}`);
    const events: Event[] = [];
    await server.app.attach((event) => {
      if (event.deviceId === account.deviceId) events.push(event);
    });
    await ok('DELETE', `/api/curves/${curves.water_curve_id}`);
    const [template] = await ok('GET', '/api/plant_templates');
    expect(template).toMatchObject({ ...curves, water_curve_id: null });
    // After those that were pending.
    const last = () => events.slice(-2).map(({ resource, body }) => [resource, body && JSON.parse(body)]);
    await expect.poll(last).toEqual([
      ['PlantTemplate', template],
      ['Curve', null],
    ]);
    const [{ request }] = await ok('GET', '/api/history?resource=Curve');
    await ok('POST', '/api/history/revert', { request });
    expect(await ok('GET', '/api/plant_templates')).toMatchObject([curves]);
  });

  it('are exported and imported with them, and from servers without them', async () => {
    const { account, kept, curves } = await planted();
    const document = await exportAccount(server, account);
    const templatesOf = async (sent: Document) => {
      const other = await server.signUp();
      expect((await sendImport(server, other, sent)).json).toMatchObject({ ok: true, problems: [] });
      return exportAccount(server, other);
    };
    const copy = await templatesOf(document);
    const names = (of: Document, template: Document) =>
      curveFields.map((field) => of.curves.find(({ id }: Document) => id === template[field])?.name);
    const [template] = copy.plant_templates;
    expect(template).toMatchObject({ ...kept, ...Object.fromEntries(curveFields.map((f) => [f, template[f]])) });
    expect(names(copy, template)).toEqual(curveFields);
    const added = [...curveFields, ...Object.keys(planting)];
    const older = {
      ...document,
      plant_templates: document.plant_templates.map((each: Document) =>
        Object.fromEntries(Object.entries(each).filter(([name]) => !added.includes(name))),
      ),
    };
    expect(Object.keys(older.plant_templates[0])).not.toContain('depth');
    const nothing = { depth: 0, planted_at: null, ...Object.fromEntries(Object.keys(curves).map((f) => [f, null])) };
    expect((await templatesOf(older)).plant_templates).toMatchObject([nothing]);
  });
});
