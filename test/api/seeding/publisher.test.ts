import { afterEach, expect, it } from 'vitest';
import { describeEngines } from '../../support/engines.ts';
import { EventRecordingClient } from '../../support/event-recording-client.ts';
import { gardenSummary, seedAccount } from '../../support/seeded-garden.ts';

const publisher = 'publisher@example.com';
const shared = ['Photo Grid', 'Mount Tool', 'Water plant'];
/** The programs that the publisher does not share. */
const missing =
  'Dismount Tool, Water all, Weed Detection Grid, Soil Height Grid, Grid, Dispense Water, Mow All Weeds, ' +
  'Pick from Seed Tray, Pick from Seed Trough, Pick from Seed Bin';

describeEngines('seeding with a publisher', (engine) => {
  let listened: EventRecordingClient | null = null;
  afterEach(async () => listened?.server.close());

  it('installs shared programs, creates the others and lists them', async () => {
    listened = await EventRecordingClient.start(engine, { PUBLISHER: 'Publisher@Example.com' });
    const { server, account } = listened;
    const { call } = server;
    const password = 'password123';
    await (await server.app.operations.users()).create(publisher, 'Publisher', password);
    const signedIn = await call('POST', '/api/tokens', { body: { user: { email: publisher, password } } });
    const author: string = signedIn.json.token.encoded;
    for (const name of shared) {
      const steps = [{ kind: 'wait', args: { milliseconds: 1 } }];
      const body = { name, color: 'green', pinned: true, description: 'Theirs', body: steps };
      const { id } = (await call('POST', '/api/sequences', { token: author, body })).json;
      // The newest published version is installed.
      await call('POST', `/api/sequences/${id}/publish`, { token: author, body: { copyright: 'Theirs' } });
      await call('PATCH', `/api/sequences/${id}`, { token: author, body: { color: 'orange' } });
      const again = await call('POST', `/api/sequences/${id}/publish`, {
        token: author,
        body: { copyright: 'Theirs' },
      });
      expect(again.status).toBe(200);
    }
    // Withdrawn versions are not offered.
    const body = { name: 'Water all', body: [{ kind: 'wait', args: { milliseconds: 1 } }] };
    const { id } = (await call('POST', '/api/sequences', { token: author, body })).json;
    await call('POST', `/api/sequences/${id}/publish`, { token: author, body: { copyright: 'Theirs' } });
    await call('POST', `/api/sequences/${id}/unpublish`, { token: author });

    await listened.takeEvents();
    await seedAccount(server, account, { product_line: 'genesis_1.7' });
    const events = await listened.takeEvents();
    const garden = await gardenSummary(server, account);
    const named = (name: string) => garden.sequences.find((sequence) => sequence.name === name);
    for (const name of ['Photo Grid', 'Mount Tool']) {
      expect(named(name)).toMatchObject({
        color: 'orange',
        forked: false,
        pinned: false,
        description: 'Theirs',
        copyright: 'Theirs',
        body: [{ kind: 'wait', args: { milliseconds: 1 } }],
      });
      const { sequence_version_id: version, sequence_versions: versions } = named(name);
      expect(version).toBe(Math.max(...versions));
    }
    // Only some programs can be installed, whatever the publisher shares.
    expect(named('Water plant')).toMatchObject({ color: 'blue', sequence_version_id: null, pinned: true });
    expect(named('Water all')).toMatchObject({ color: 'blue', sequence_version_id: null });
    expect(garden.sequences).toHaveLength(17);
    expect(garden.logs.map(({ message, type, channels }) => ({ message, type, channels }))).toEqual([
      {
        message: `The publisher does not share ${missing} at the moment: simpler versions were created instead.`,
        type: 'info',
        channels: [],
      },
    ]);
    const sequences = events.filter(({ resource }) => resource === 'Sequence');
    expect(sequences).toHaveLength(17);
    expect(new Set(sequences.map(({ label }) => label))).toEqual(new Set(['NONE']));
  });
});
