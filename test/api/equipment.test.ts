import { expect, it } from 'vitest';
import type { Event } from '../../src/core/events.ts';
import { changeRows } from '../../src/db/change-rows.ts';
import { callsOf } from '../support/account-calls.ts';
import type { Document } from '../support/account-transfer.ts';
import { exportAccount, sendImport } from '../support/account-transfer.ts';
import { suiteApp } from '../support/app.ts';
import { describeEngines } from '../support/engines.ts';

const offsets = (name: string, [x, y, z]: readonly [number, number, number]) => ({
  [`${name}_x`]: x,
  [`${name}_y`]: y,
  [`${name}_z`]: z,
});
const noTip = offsets('effector_offset', [0, 0, 0]);

describeEngines('types of equipment', (engine) => {
  const server = suiteApp(engine);

  it('keeps the readings with which a sensor is calibrated, which differ, and readings as they are', async () => {
    const account = await server.signUp();
    const { ok, call } = callsOf(server, account);
    const sensor = await ok('POST', '/api/sensors', { pin: 59, label: 'Soil', mode: 1 });
    expect(sensor).toMatchObject({ dry_reading: null, wet_reading: null });
    const path = `/api/sensors/${sensor.id}`;
    expect(await ok('PATCH', path, { dry_reading: 200 })).toMatchObject({ dry_reading: 200, wet_reading: null });
    const refused = await call('PATCH', path, { wet_reading: 200 });
    expect(refused).toMatchObject({
      status: 422,
      json: { wet_reading: 'The readings in dry and in wet soil must differ.' },
    });
    expect(await ok('PATCH', path, { wet_reading: 700 })).toMatchObject({ dry_reading: 200, wet_reading: 700 });
    const reading = await ok('POST', '/api/sensor_readings', { pin: 59, mode: 1, value: 450, x: 1, y: 2, z: 3 });
    expect(reading).toMatchObject({ value: 450 });
    expect(await ok('PATCH', path, { dry_reading: null })).toMatchObject({ dry_reading: null, wet_reading: 700 });
  });

  it('has defaults for clients that send none, and stores, shows and announces sent values', async () => {
    const account = await server.signUp();
    const { ok } = callsOf(server, account);
    const events: Event[] = [];
    await server.app.attach((event) => {
      if (event.deviceId === account.deviceId) events.push(event);
    });
    expect(await ok('POST', '/api/tools', { name: 'Seeder' })).toMatchObject({
      type: 'none',
      utm_mountable: true,
      ...noTip,
    });
    const slot = { pointer_type: 'ToolSlot', x: 1, y: 2, z: 3 };
    expect(await ok('POST', '/api/points', { ...slot, gantry_mounted: true })).toMatchObject({
      gantry_mounted: true,
      mount_stage: 0,
      ...offsets('mount_offset', [0, 0, 0]),
    });
    expect(await ok('POST', '/api/points', { pointer_type: 'Plant', x: 1, y: 2 })).not.toHaveProperty('mount_stage');
    expect(await ok('POST', '/api/peripherals', { pin: 8, label: 'Water', mode: 0 })).toMatchObject({ type: 'none' });
    expect(await ok('POST', '/api/sensors', { pin: 59, label: 'Soil', mode: 1 })).toMatchObject({ type: 'none' });

    const seeder = { type: 'seeder', utm_mountable: false, ...offsets('effector_offset', [17.5, -2, -80.25]) };
    const tool = await ok('POST', '/api/tools', { name: 'Own', ...seeder });
    expect(tool).toMatchObject(seeder);
    expect(await ok('PATCH', `/api/tools/${tool.id}`, { name: 'Mine', type: null })).toMatchObject(seeder);
    const carried = { mount_stage: 3, ...offsets('mount_offset', [1, 2.5, -3]) };
    const { id } = await ok('POST', '/api/points', { ...slot, ...carried });
    expect(await ok('GET', `/api/points/${id}`)).toMatchObject(carried);
    expect(await ok('PATCH', `/api/points/${id}`, { mount_stage: 2 })).toMatchObject({ ...carried, mount_stage: 2 });
    expect(await ok('POST', '/api/peripherals', { pin: 7, label: 'Lamp', type: 'lighting' })).toMatchObject({
      type: 'lighting',
    });
    const sensor = await ok('POST', '/api/sensors', { pin: 60, label: 'Load', mode: 1, type: 'current' });
    expect(sensor).toMatchObject({ type: 'current' });
    const bodyOf = (resource: string, recordId: number) =>
      JSON.parse(events.findLast((each) => each.resource === resource && each.recordId === recordId)?.body ?? 'null');
    // The last change, in their order.
    await expect.poll(() => bodyOf('Sensor', sensor.id)).toMatchObject({ type: 'current' });
    expect(bodyOf('Tool', tool.id)).toMatchObject({ name: 'Mine', ...seeder });
    expect(bodyOf('Point', id)).toMatchObject({ ...carried, mount_stage: 2 });
  });

  it('has one length of a seeder, also for clients that know only the older of its fields', async () => {
    const { ok } = callsOf(server, await server.signUp());
    const seeder = await ok('POST', '/api/tools', { name: 'Seeder', type: 'seeder', effector_offset_z: -80 });
    const path = `/api/tools/${seeder.id}`;
    const lengths = async (body: object) => {
      const { seeder_tip_z_offset, effector_offset_z } = await ok('PUT', path, body);
      return [seeder_tip_z_offset, effector_offset_z];
    };
    expect(await lengths({ seeder_tip_z_offset: 75 })).toEqual([75, -75]);
    // As web apps do, which send whole records.
    expect(await lengths({ ...(await ok('GET', path)), seeder_tip_z_offset: 70.5 })).toEqual([70.5, -70.5]);
    expect(await lengths({ seeder_tip_z_offset: 60, effector_offset_z: -65 })).toEqual([60, -65]);
    expect(await lengths({ seeder_tip_z_offset: 55 })).toEqual([55, -65]);
    expect(await lengths({ effector_offset_z: -55 })).toEqual([55, -55]);
    expect(await lengths({ name: 'Long seeder' })).toEqual([55, -55]);
    expect(await lengths({ type: 'weeder' })).toEqual([55, -55]);
    expect(await lengths({ seeder_tip_z_offset: 80 })).toEqual([80, -55]);
  });

  it('refuses other types, stages and offsets by the name of the field, and changes nothing', async () => {
    const { call, ok } = callsOf(server, await server.signUp());
    const tool = await ok('POST', '/api/tools', { name: 'Hoe' });
    const slot = await ok('POST', '/api/points', { pointer_type: 'ToolSlot', x: 1, y: 2, z: 3 });
    const pin = await ok('POST', '/api/peripherals', { pin: 8, label: 'Water' });
    const sensor = await ok('POST', '/api/sensors', { pin: 59, label: 'Soil', mode: 1 });
    for (const [path, field, values] of [
      [`tools/${tool.id}`, 'type', ['soil_moisture', 'Seeder', '', 5, {}]],
      [`tools/${tool.id}`, 'utm_mountable', ['often', 2]],
      [`tools/${tool.id}`, 'effector_offset_z', ['deep', true, {}]],
      [`points/${slot.id}`, 'mount_stage', [4, -1, 1.5, 'gantry', true]],
      [`points/${slot.id}`, 'mount_offset_x', ['far', []]],
      [`peripherals/${pin.id}`, 'type', ['seeder', 'none ever', 1]],
      [`sensors/${sensor.id}`, 'type', ['water', 'moisture', false]],
    ] as const) {
      for (const value of values) {
        const { status, json } = await call('PATCH', `/api/${path}`, { [field]: value });
        expect([status, Object.keys(json)], `${path} ${field} ${JSON.stringify(value)}`).toEqual([422, [field]]);
      }
    }
    expect(await ok('GET', `/api/tools/${tool.id}`)).toEqual(tool);
    expect(await ok('GET', `/api/points/${slot.id}`)).toEqual(slot);
  });

  /** Makes an export one of a server that had no types. */
  function withoutTypes(document: Document): Document {
    const without = (list: Document[], pattern: RegExp) =>
      list.map((record) => Object.fromEntries(Object.entries(record).filter(([name]) => !pattern.test(name))));
    return {
      ...document,
      tools: without(document.tools, /^(type|utm_mountable|effector_offset_.)$/),
      points: without(document.points, /^mount_/),
      peripherals: without(document.peripherals, /^type$/),
      sensors: without(document.sensors, /^type$/),
    };
  }

  /** A garden with equipment of a kit and of a person. */
  async function equipped(board: string) {
    const account = await server.signUp();
    const { ok } = callsOf(server, account);
    await ok('PATCH', '/api/fbos_config', { firmware_hardware: board });
    await ok('POST', '/api/tools', { name: 'Seeder', seeder_tip_z_offset: 70 });
    await ok('POST', '/api/tools', { name: 'SEED TRAY' });
    await ok('POST', '/api/tools', { name: 'Outil rotatif', type: 'weeder', ...offsets('effector_offset', [1, 2, 3]) });
    await ok('POST', '/api/points', { pointer_type: 'ToolSlot', name: 'Slot', x: 1, y: 2, z: 3, gantry_mounted: true });
    for (const pin of [9, 10]) await ok('POST', '/api/peripherals', { pin, label: `Pin ${pin}` });
    for (const pin of [59, 63]) await ok('POST', '/api/sensors', { pin, label: `Pin ${pin}`, mode: 0 });
    return account;
  }

  it('are exported and imported as they are', async () => {
    const account = await equipped('farmduino_k17');
    const document = await exportAccount(server, account);
    const other = await server.signUp();
    const report = await sendImport(server, other, document);
    expect(report.json).toMatchObject({ ok: true, problems: [] });
    const copy = await exportAccount(server, other);
    const equipment = ({ tools, points, peripherals, sensors }: Document) =>
      [tools, points, peripherals, sensors].map((list) =>
        list.map(
          ({ id: _id, created_at: _made, updated_at: _changed, device_id: _own, ...record }: Document) => record,
        ),
      );
    expect(equipment(copy)).toEqual(equipment(document));
    expect(copy.tools[2]).toMatchObject({ type: 'weeder', ...offsets('effector_offset', [1, 2, 3]) });
    expect(copy.points[0]).toMatchObject({ gantry_mounted: true, mount_stage: 0 });
  });

  it('follow from names and pins in imports of older exports', async () => {
    for (const [board, types] of [
      ['farmduino_k17', ['vacuum', 'none']],
      ['arduino', ['water', 'vacuum']],
    ] as const) {
      const older = withoutTypes(await exportAccount(server, await equipped(board)));
      const other = await server.signUp();
      expect((await sendImport(server, other, older)).json).toMatchObject({ ok: true, problems: [] });
      const { ok } = callsOf(server, other);
      const { tools, points, peripherals, sensors } = await exportAccount(server, other);
      expect(await ok('GET', '/api/tools')).toMatchObject([
        { type: 'seeder', utm_mountable: true, ...offsets('effector_offset', [17.5, 0, -70]) },
        { type: 'seed_tray', utm_mountable: false, ...noTip },
        { type: 'rotary_tool', utm_mountable: true, ...offsets('effector_offset', [0, 0, -80]) },
      ]);
      expect(tools).toHaveLength(3);
      expect(points).toMatchObject([{ gantry_mounted: true, mount_stage: 1 }]);
      expect(peripherals.map(({ type }: Document) => type)).toEqual(types);
      expect(sensors.map(({ type }: Document) => type)).toEqual(['soil_moisture', 'tool_verification']);
    }
  });

  it('follow from nothing that is no name and no pin: imports report it', async () => {
    const older = withoutTypes(await exportAccount(server, await equipped('farmduino_k17')));
    const odd = { toString: 1, valueOf: 1 };
    for (const [list, field] of [
      ['tools', 'name'],
      ['peripherals', 'pin'],
      ['sensors', 'pin'],
    ] as const) {
      const [first, ...others] = older[list];
      const document = { ...older, [list]: [{ ...first, [field]: odd }, ...others] } as Document;
      const { status, text } = await sendImport(server, await server.signUp(), document);
      expect([status, text]).toEqual([422, expect.stringContaining(`/${list}/0/${field}`)]);
    }
  });

  it('are part of the history, whose older changes can be reverted', async () => {
    const account = await equipped('farmduino_k17');
    const { call, ok } = callsOf(server, account);
    const [tool] = await ok('GET', '/api/tools');
    await ok('PATCH', `/api/tools/${tool.id}`, { type: 'weeder' });
    const [typed] = await ok('GET', '/api/history');
    expect((await ok('GET', `/api/history/${typed.id}`)).difference).toEqual([
      { field: 'type', before: 'none', after: 'weeder' },
    ]);
    await ok('POST', `/api/history/${typed.id}/revert`);
    expect(await ok('GET', `/api/tools/${tool.id}`)).toMatchObject({ type: 'none' });

    // A change from before there were types, and a deletion.
    const scope = server.app.server().device(account.deviceId);
    const forget = async (id: number) => {
      const [row] = await scope.rows(changeRows, { where: { id } });
      const without = (json: string | null) => {
        if (json === null) return null;
        const {
          type: _type,
          utm_mountable: _mountable,
          effector_offset_x: _x,
          effector_offset_z: _z,
          ...rest
        } = JSON.parse(json);
        const { effector_offset_y: _y, ...older } = rest;
        return JSON.stringify(older);
      };
      await scope.update(
        changeRows,
        { before: without(row?.before ?? null), after: without(row?.after ?? null) },
        { where: { id } },
      );
    };
    await ok('PATCH', `/api/tools/${tool.id}`, { flow_rate_ml_per_s: 7 });
    const [flow] = await ok('GET', '/api/history');
    await forget(flow.id);
    expect(await call('POST', `/api/history/${flow.id}/revert`)).toMatchObject({ status: 200 });
    expect(await ok('GET', `/api/tools/${tool.id}`)).toMatchObject({ flow_rate_ml_per_s: 0, type: 'none' });
    await ok('DELETE', `/api/tools/${tool.id}`);
    const [deleted] = await ok('GET', '/api/history');
    await forget(deleted.id);
    await ok('POST', `/api/history/${deleted.id}/revert`);
    expect(await ok('GET', `/api/tools/${tool.id}`)).toMatchObject({
      name: 'Seeder',
      type: 'seeder',
      ...offsets('effector_offset', [17.5, 0, -70]),
    });
  });

  it('lists curves for robots that store them', async () => {
    const { ok } = callsOf(server, await server.signUp());
    expect((await ok('GET', '/api/device/sync')).curves).toEqual([]);
    const curve = await ok('POST', '/api/curves', { name: 'Water', type: 'water', data: { 1: 100 } });
    const listed = [[curve.id, curve.updated_at]];
    expect((await ok('GET', '/api/device/sync.json')).curves).toEqual(listed);
    await ok('DELETE', `/api/curves/${curve.id}`);
    expect((await ok('GET', '/api/device/sync')).curves).toEqual([]);
  });
});
