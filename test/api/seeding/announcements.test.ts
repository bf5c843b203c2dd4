import { afterEach, expect, it } from 'vitest';
import type { Event } from '../../../src/core/events.ts';
import { describeEngines } from '../../support/engines.ts';
import { EventRecordingClient } from '../../support/event-recording-client.ts';

/** Counts the announced records of each resource; records announced twice are listed separately. */
function counted(events: readonly Event[]): Record<string, number> {
  const names = events.map(({ resource, recordId }) => `${resource} ${recordId}`);
  const counts: Record<string, number> = {};
  for (const name of new Set(names)) {
    const resource = name.split(' ')[0] ?? '';
    counts[resource] = (counts[resource] ?? 0) + 1;
  }
  if (names.length > new Set(names).size) counts['announced twice'] = names.length - new Set(names).size;
  return counts;
}

describeEngines('seeding', (engine) => {
  let garden: EventRecordingClient | null = null;
  afterEach(async () => garden?.server.close());

  const seed = async (body: object) => {
    const listened = await EventRecordingClient.start(engine);
    garden = listened;
    const requested = await listened.requestOk('POST', '/api/device/seed', body);
    expect(requested.events.map(({ resource, label }) => [resource, label])).toEqual([['Device', 'L']]);
    await listened.server.app.runJobs();
    return { listened, events: await listened.takeEvents() };
  };

  it('announces each record once, after the commit, with the label NONE', async () => {
    const { listened, events } = await seed({ product_line: 'genesis_1.7' });
    expect(counted(events)).toEqual({
      PointGroup: 3,
      Peripheral: 7,
      PinBinding: 2,
      Sensor: 2,
      Device: 1,
      FirmwareConfig: 1,
      FbosConfig: 1,
      Tool: 8,
      Point: 8,
      Sequence: 17,
    });
    expect(new Set(events.map(({ label }) => label))).toEqual(new Set(['NONE']));
    expect(events.map(({ resource }) => resource).slice(0, 12)).toEqual([
      ...Array(3).fill('PointGroup'),
      ...Array(7).fill('Peripheral'),
      ...Array(2).fill('PinBinding'),
    ]);
    // The final state: the tools are in their slots.
    const { token } = listened.account;
    for (const path of ['tools', 'sequences', 'points']) {
      const rows = (await listened.server.call('GET', `/api/${path}`, { token })).json;
      const resource = { tools: 'Tool', sequences: 'Sequence', points: 'Point' }[path];
      const bodies = events
        .filter((event) => event.resource === resource)
        .map(({ body }) => JSON.parse(body ?? 'null'));
      expect(bodies).toEqual(rows);
    }
  });

  it('announces the demo too, and the deleted alert', async () => {
    const { events } = await seed({ product_line: 'express_1.0', demo: true });
    expect(counted(events)).toEqual({
      FbosConfig: 1,
      Curve: 2,
      PointGroup: 6,
      Peripheral: 3,
      PinBinding: 2,
      Device: 1,
      FirmwareConfig: 1,
      FarmwareEnv: 5,
      Tool: 3,
      Point: 2 + 84 + 16,
      Sequence: 12,
      WebcamFeed: 1,
      Alert: 4,
    });
    expect(new Set(events.map(({ label }) => label))).toEqual(new Set(['NONE']));
    expect(events.filter(({ body }) => body === null).map(({ resource }) => resource)).toEqual(['Alert']);
  });

  it('announces nothing that was rolled back', async () => {
    const listened = await EventRecordingClient.start(engine);
    garden = listened;
    for (let i = 0; i < 70; i++) await listened.requestOk('POST', '/api/sequences', { name: `Mine ${i}`, body: [] });
    await listened.requestOk('POST', '/api/device/seed', { product_line: 'genesis_1.7' });
    await listened.server.app.runJobs();
    const events = await listened.takeEvents();
    expect(events.map(({ resource, label }) => [resource, label])).toEqual([['Device', 'NONE']]);
    expect(JSON.parse(events[0]?.body ?? '')).toMatchObject({ account_seeded_at: null });
  });
});
