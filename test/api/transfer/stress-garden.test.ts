import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { suiteApp } from '../../support/app.ts';

describe('an export of a garden for stress tests', () => {
  const server = suiteApp('sqlite');

  it('can be imported by the operator, but not by a request', async () => {
    const [source, target] = [await server.signUp(), await server.signUp()];
    const body = { product_line: 'genesis_xl_1.8_stress_500', demo: true };
    expect((await server.call('POST', '/api/device/seed', { token: source.token, body })).status).toBe(200);
    await server.app.runJobs();
    const file = join(server.settings.DATA_DIR, 'stress.json');
    const transfer = await server.app.operations.transfer();
    expect(await transfer.exportToFile(source.email, file, { withPhotos: false, replaces: true })).toBeGreaterThan(
      500_000,
    );

    const raw = readFileSync(file, 'utf8');
    const request = { token: target.token, raw, headers: { 'content-type': 'application/json' } };
    const refused = await server.call('POST', '/api/import', request);
    expect([refused.status, refused.json]).toEqual([422, { '/points': 'There may be at most 1000 points, not 1508.' }]);

    const options = { mode: 'empty', strict: false } as const;
    const taken = { points: 1508, images: 500, sensor_readings: 500 };
    const check = await transfer.importFile(target.email, file, { ...options, check: true });
    expect(check).toMatchObject({ ok: true, problems: [], taken });
    // Each photo is fetched and processed: a few of them are enough.
    const document = JSON.parse(raw);
    const fewer = { ...document, images: document.images.slice(0, 5) };
    writeFileSync(file, JSON.stringify(fewer));
    const report = await transfer.importFile(target.email, file, { ...options, check: false });
    expect(report).toMatchObject({ ok: true, problems: [], taken: { ...taken, images: 5 } });
    const points = (await server.call('GET', '/api/points', { token: target.token })).json;
    expect(points).toHaveLength(1508);
  });
});
