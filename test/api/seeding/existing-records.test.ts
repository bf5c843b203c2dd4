import { expect, it } from 'vitest';
import type { Account } from '../../support/app.ts';
import { suiteApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import { gardenSummary, seedAccount } from '../../support/seeded-garden.ts';

describeEngines('seeding a garden with existing records', (engine) => {
  const server = suiteApp(engine);
  const make = async ({ token }: Account, path: string, body: object): Promise<number> => {
    const response = await server.call('POST', `/api/${path}`, { token, body });
    if (response.status !== 200) throw new Error(`${path} answered ${response.status} ${response.text}`);
    return response.json.id;
  };
  const noticesOf = async (account: Account) =>
    (await gardenSummary(server, account)).logs.map(({ message, type, channels }) => ({ message, type, channels }));
  const kept = (what: string) => ({
    message: `Some records for your robot existed already and were not changed: ${what}.`,
    type: 'info',
    channels: ['toast'],
  });

  it('reuses a tool, a peripheral and a sequence, and lists them once', async () => {
    const account = await server.signUp();
    const seeder = await make(account, 'tools', { name: 'Seeder', flow_rate_ml_per_s: 7, seeder_tip_z_offset: 55 });
    const pump = await make(account, 'peripherals', { pin: 8, label: 'My pump', mode: 1 });
    const watering = await make(account, 'sequences', {
      name: 'Water plant',
      color: 'red',
      body: [{ kind: 'wait', args: { milliseconds: 5 } }],
    });
    await seedAccount(server, account, { product_line: 'genesis_1.7' });

    const garden = await gardenSummary(server, account);
    expect(garden.tools).toHaveLength(8);
    expect(garden.tools[0]).toBe('Seeder 7 55 active');
    expect(garden.slots[0]).toBe('Slot: Seeder @ 6 200 -340 bay 1');
    expect(garden.peripherals).toEqual([
      'My pump 8 1',
      'Vacuum 9 0',
      'Lighting 7 0',
      'Peripheral 4 10 0',
      'Peripheral 5 12 0',
      'Rotary Tool 2 0',
      'Rotary Tool Reverse 3 0',
    ]);
    expect(garden.sequences).toHaveLength(17);
    expect(garden.sequences[0]).toMatchObject({ id: watering, name: 'Water plant', color: 'red', pinned: false });
    const all = garden.sequences.find(({ name }) => name === 'Water all plants');
    expect(all.body).toMatchObject([{ kind: 'execute', args: { sequence_id: watering } }]);
    expect(await noticesOf(account)).toEqual([
      kept("the peripheral at pin 8, the tool 'Seeder', the sequence 'Water plant'"),
    ]);

    // Uses are stored: records in programs cannot be deleted.
    for (const path of [`tools/${seeder}`, `sequences/${watering}`])
      expect((await server.call('DELETE', `/api/${path}`, { token: account.token })).status).toBe(422);
    const vacuum = (await server.call('GET', '/api/peripherals', { token: account.token })).json[1].id;
    expect((await server.call('DELETE', `/api/peripherals/${vacuum}`, { token: account.token })).status).toBe(422);
    expect((await server.call('DELETE', `/api/peripherals/${pump}`, { token: account.token })).status).toBe(200);
  });

  it('reuses all other records that would be duplicates', async () => {
    const account = await server.signUp();
    const tool = await make(account, 'tools', { name: 'Seed Trough 1' });
    await make(account, 'points', { pointer_type: 'ToolSlot', name: 'Mine', x: 1, y: 2, z: 3, tool_id: tool });
    const group = await make(account, 'point_groups', { name: 'All plants', point_ids: [] });
    await make(account, 'farmware_envs', { key: '3D_beamLength', value: '1700' });
    await make(account, 'pin_bindings', { pin_num: 16, special_action: 'reboot' });
    await make(account, 'curves', { name: 'Spinach water curve', type: 'water', data: { 1: 1 } });
    await seedAccount(server, account, { product_line: 'express_1.2', demo: true });

    const garden = await gardenSummary(server, account);
    expect(garden.slots).toEqual(['Mine: Seed Trough 1 @ 1 2 3 bay 0', 'Slot: Seed Trough 2 @ 0 25 -300 trough 0']);
    expect(garden.envs[0]).toBe('3D_beamLength=1700');
    expect(garden.bindings).toEqual(['16 reboot', '22 emergency_unlock']);
    expect(garden.curves.map(({ name }) => name)).toEqual(['Spinach water curve', 'Broccoli water curve']);
    expect(garden.groups.filter(({ name }) => name === 'All plants')).toMatchObject([
      { id: group, sort_type: 'xy_ascending' },
    ]);
    const notice = await noticesOf(account);
    expect(notice.filter(({ type }) => type !== 'fun')).toEqual([
      kept(
        "the curve 'Spinach water curve', the group 'All plants', the binding of pin 16, " +
          "the setting '3D_beamLength', the tool 'Seed Trough 1', the slot of the tool 'Seed Trough 1'",
      ),
    ]);
  });

  it('reuses the sensors of its pins', async () => {
    const account = await server.signUp();
    await make(account, 'sensors', { pin: 59, label: 'Damp', mode: 1 });
    await seedAccount(server, account, { product_line: 'genesis_1.2' });
    expect((await gardenSummary(server, account)).sensors).toEqual(['Damp 59 1', 'Tool Verification 63 0']);
    expect(await noticesOf(account)).toEqual([kept('the sensor at pin 59')]);
  });

  it('creates no duplicates when it is seeded again', async () => {
    const account = await server.signUp();
    const { token } = account;
    await seedAccount(server, account, { product_line: 'genesis_1.7', demo: true });
    const before = await gardenSummary(server, account);
    const opened = await server.call('PATCH', '/api/device', { token, body: { account_seeded_at: null } });
    expect(opened.json.account_seeded_at).toBeNull();
    await seedAccount(server, account, { product_line: 'genesis_1.7', demo: true });

    const after = await gardenSummary(server, account);
    expect(after.device.account_seeded_at).not.toBeNull();
    for (const name of ['tools', 'slots', 'peripherals', 'sensors', 'bindings', 'envs'] as const)
      expect(after[name]).toEqual(before[name]);
    for (const name of ['points', 'sequences', 'groups', 'curves', 'feeds', 'alerts'] as const)
      expect(after[name].map(({ id }) => id)).toEqual(before[name].map(({ id }) => id));
    // A long list is truncated.
    const [notice] = (await noticesOf(account)).filter(({ type }) => type === 'info');
    expect(notice?.message).toMatch(/^Some records for your robot existed already.* and \d+ more\.$/);
  });

  it('creates only the last request if it arrives before the first is processed', async () => {
    const account = await server.signUp();
    const { token } = account;
    await server.call('POST', '/api/device/seed', { token, body: { product_line: 'genesis_1.7' } });
    await server.call('PATCH', '/api/device', { token, body: { account_seeded_at: null } });
    await seedAccount(server, account, { product_line: 'express_1.0' });
    expect(await gardenSummary(server, account)).toMatchObject({ name: 'FarmBot Express', logs: [] });
  });

  it('creates nothing if the account was unlocked concurrently, and notifies the owner', async () => {
    const account = await server.signUp();
    const { token } = account;
    await server.call('POST', '/api/device/seed', { token, body: { product_line: 'genesis_1.7' } });
    await server.call('PATCH', '/api/device', { token, body: { account_seeded_at: null } });
    await server.app.runJobs();
    expect(await gardenSummary(server, account)).toMatchObject({
      name: 'FarmBot',
      tools: [],
      sequences: [],
      logs: { length: 1 },
    });
  });
});
