import { beforeEach, expect, it } from 'vitest';
import { suiteApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import { numberAt } from '../../support/json.ts';

const clock = { time: 0, now: () => clock.time };
const at = (text: string): void => {
  clock.time = Date.parse(text);
};

describeEngines('the calendar of the past', (engine) => {
  const server = suiteApp(engine, {}, clock);
  beforeEach(() => at('2026-03-01T06:00:00Z'));

  async function garden() {
    const { token } = await server.signUp();
    const call = async (method: string, path: string, body?: object) => {
      const { status, json, text } = await server.call(method, path, { token, ...(body && { body }) });
      expect(status, text).toBe(200);
      return json;
    };
    await call('PATCH', '/api/device', { timezone: 'Europe/Paris' });
    const sequence = async (name: string) =>
      numberAt(await call('POST', '/api/sequences', { name, args: {}, body: [], kind: 'sequence' }), 'id');
    const event = async (executable_id: number, more: object) =>
      numberAt(
        await call('POST', '/api/farm_events', { executable_type: 'Sequence', executable_id, repeat: 1, ...more }),
        'id',
      );
    const past = async (from: string, to: string): Promise<string[]> => {
      const found = await call('GET', `/api/farm_events/occurrences/past?from=${from}&to=${to}`);
      return found.map((run: { at: string; sequence_name: string }) => `${run.at.slice(5, 16)} ${run.sequence_name}`);
    };
    return { call, sequence, event, past, token };
  }

  it('has the runs that were due until now, by the schedule as it was', async () => {
    const { call, sequence, event, past, token } = await garden();
    const [water, weed] = [await sequence('Water'), await sequence('Weed')];
    const daily = { start_time: '2026-02-20T07:00:00Z', end_time: '2026-04-01T07:00:00Z', time_unit: 'daily' };
    const id = await event(water, daily);
    // Once, and gone from the calendar a minute later.
    await event(weed, { start_time: '2026-03-01T12:00:00Z', time_unit: 'never' });
    at('2026-03-02T12:00:00Z');
    const copy = await call('GET', `/api/farm_events/${id}`);
    await call('PATCH', `/api/farm_events/${id}`, { start_time: '2026-03-02T18:00:00Z' });
    expect(await call('GET', '/api/farm_events')).toHaveLength(1);
    at('2026-03-03T20:00:00Z');
    // An old copy, which the robot sends, was not the schedule again.
    const headers = { 'user-agent': 'FarmbotOS/15.4.11 (rpi3) rpi3 ()' };
    const sent = await server.call('PATCH', `/api/farm_events/${id}`, { token, headers, body: copy });
    expect(sent.json.start_time).toBe('2026-03-02T18:00:00.000Z');
    await call('DELETE', `/api/farm_events/${id}`);
    at('2026-03-05T00:00:00Z');
    const days = [
      '03-01T07:00 Water',
      '03-01T12:00 Weed',
      '03-02T07:00 Water',
      '03-02T18:00 Water',
      '03-03T18:00 Water',
    ];
    expect(await past('2026-02-20', '2026-03-10')).toEqual(days);
    expect(await past('2026-03-01T12:00:00Z', '2026-03-02T18:00:00Z')).toEqual(days.slice(1, 3));
    // What is due from now on is not past.
    await event(water, { ...daily, start_time: '2026-03-05T00:00:00Z' });
    expect(await past('2026-03-04', '2026-03-10')).toEqual([]);
    at('2026-03-05T00:00:01Z');
    expect(await past('2026-03-04', '2026-03-10')).toEqual(['03-05T00:00 Water']);
  });

  it('has the items of regimens, and nothing of deleted programs or other gardens', async () => {
    const { call, sequence, past } = await garden();
    const [sow, mow] = [await sequence('Sow'), await sequence('Mow')];
    const items = [sow, mow].map((sequence_id, day) => ({ sequence_id, time_offset: (24 * day + 9) * 3_600_000 }));
    const regimen = await call('POST', '/api/regimens', { name: 'Season', color: 'red', regimen_items: items });
    await call('POST', '/api/farm_events', {
      executable_type: 'Regimen',
      executable_id: numberAt(regimen, 'id'),
      start_time: '2026-03-01T07:00:00Z',
      time_unit: 'never',
      repeat: 1,
    });
    at('2026-03-05T00:00:00Z');
    const other = await garden();
    expect(await past('2026-03-01', '2026-03-10')).toEqual(['03-01T08:00 Sow', '03-02T08:00 Mow']);
    expect(await other.past('2026-03-01', '2026-03-10')).toEqual([]);
    expect(await call('GET', '/api/farm_events')).toEqual([]);
    await call('DELETE', `/api/regimens/${numberAt(regimen, 'id')}`);
    expect(await past('2026-03-01', '2026-03-10')).toEqual([]);
  });

  it.each([
    ['', { from: 'From is required.', to: 'To is required.' }],
    ['from=2026-01-01&to=2026-01-01', { to: 'To must be after From.' }],
    ['from=2026-01-01&to=2027-01-03', { to: 'To must be at most 366 days after From.' }],
  ])('refuses %s', async (query, failures) => {
    const { token } = await garden();
    const { status, json } = await server.call('GET', `/api/farm_events/occurrences/past?${query}`, { token });
    expect([status, json]).toEqual([422, failures]);
  });
});
