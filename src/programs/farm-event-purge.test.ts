import { beforeEach, expect, it } from 'vitest';
import { suiteAccount, suiteApp } from '../../test/support/app.ts';
import { describeEngines } from '../../test/support/engines.ts';
import { createSequence } from '../../test/support/programs.ts';
import { devices } from '../device/devices.ts';
import { purgeExpiredEvents } from './farm-event-purge.ts';
import { farmEvents } from './farm-events.ts';
import { regimenItems, regimens } from './regimens.ts';

const midnight = Date.UTC(2026, 2, 1);
const noon = midnight + 12 * 3_600_000;
const at = (ms: number) => new Date(ms).toISOString();

describeEngines('the purge of farm events', (engine) => {
  const clock = { time: noon, now: () => clock.time };
  const server = suiteApp(engine, {}, clock);
  const account = suiteAccount(server);
  const scope = () => server.app.server().device(account.deviceId);
  const remaining = async () => (await scope().rows(farmEvents)).length;

  beforeEach(async () => {
    clock.time = noon;
    await scope().transaction(async (inner) => {
      await inner.delete(farmEvents, {});
      await inner.update(devices, { timezone: 'UTC' }, {});
    });
  });

  const insertEvent = (fields: { executable_type: 'Sequence' | 'Regimen'; executable_id: number; start: number }) =>
    scope().insert(farmEvents, {
      executable_type: fields.executable_type,
      executable_id: fields.executable_id,
      start_time: at(fields.start),
      end_time: at(noon),
      repeat: 1,
      time_unit: 'never',
      body: [],
    });

  /** Creates a regimen with one item. */
  async function insertRegimen(name: string, time_offset: number): Promise<number> {
    const sequence_id = await createSequence(server, account);
    const { id } = await scope().insert(regimens, { name, color: 'red', body: [] });
    await scope().insert(regimenItems, { regimen_id: id, sequence_id, time_offset });
    return id;
  }

  /** Purges at a time and returns the number of events left. */
  async function purgeAt(time: number): Promise<number> {
    clock.time = time;
    await purgeExpiredEvents(scope());
    return remaining();
  }

  it('deletes an event of a sequence one millisecond after its end, not at its end', async () => {
    await insertEvent({
      executable_type: 'Sequence',
      executable_id: await createSequence(server, account),
      start: noon,
    });
    expect(await purgeAt(noon)).toBe(1);
    expect(await purgeAt(noon + 1)).toBe(0);
  });

  it('deletes an event of a regimen one millisecond after its last item, not at that time', async () => {
    const executable_id = await insertRegimen('At noon', noon - midnight);
    await insertEvent({ executable_type: 'Regimen', executable_id, start: midnight });
    expect(await purgeAt(noon)).toBe(1);
    expect(await purgeAt(noon + 1)).toBe(0);
  });

  it('counts whole seconds of the last item', async () => {
    const executable_id = await insertRegimen('Almost a second later', noon - midnight + 999);
    await insertEvent({ executable_type: 'Regimen', executable_id, start: midnight });
    expect(await purgeAt(noon)).toBe(1);
    expect(await purgeAt(noon + 1)).toBe(0);
  });

  it('keeps an event of a regimen until one millisecond after its start', async () => {
    const executable_id = await insertRegimen('Early', 0);
    await insertEvent({ executable_type: 'Regimen', executable_id, start: noon });
    expect(await purgeAt(noon)).toBe(1);
    expect(await purgeAt(noon + 1)).toBe(0);
  });

  it('deletes nothing without a time zone', async () => {
    await scope().transaction((inner) => inner.update(devices, { timezone: null }, {}));
    await insertEvent({
      executable_type: 'Sequence',
      executable_id: await createSequence(server, account),
      start: noon,
    });
    expect(await purgeAt(noon + 86_400_000)).toBe(1);
  });
});
