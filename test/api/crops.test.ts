import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createApp } from '../../src/app.ts';
import { runChecks } from '../../src/doctor/doctor.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { suiteApp } from '../support/app.ts';

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

describe('crops', () => {
  const server = suiteApp('sqlite');
  const get = (path: string, headers: Record<string, string> = {}) => server.call('GET', path, { headers });

  it('are found without a token', async () => {
    const { status, json } = await get('/api/crops?search=b%C3%A9te&limit=3');
    expect(status).toBe(200);
    expect(json.map(({ slug }: { slug: string }) => slug)).toContain('beet');
    expect((await get('/api/crops?limit=1000')).json.length).toBeGreaterThanOrEqual(150);
    expect((await get('/api/crops')).json).toHaveLength(100);
    expect((await get('/api/crops?search=zzzzzz')).json).toEqual([]);
  });

  it('are shown by slug as in the documentation', async () => {
    const { json } = await get('/api/crops/beet');
    expect(json).toMatchObject({ slug: 'beet', names: { en: 'Beet', fr: 'Betterave', de: 'Rote Bete' }, spread: 200 });
    const { components } = server.app.openapi() as { components: { examples: Record<string, { value: unknown }> } };
    expect(components.examples.Crop?.value).toEqual(json);
    const unknown = await get('/api/crops/__proto__');
    expect([unknown.status, unknown.json]).toEqual([404, { error: 'Crop not found.' }]);
  });

  it('may be kept by clients', async () => {
    for (const path of ['/api/crops?search=kale', '/api/crops/kale']) {
      const { headers } = await get(path);
      expect(headers['cache-control']).toBe('public, max-age=3600');
      const confirmed = await get(path, { 'if-none-match': String(headers.etag) });
      expect([confirmed.status, confirmed.text]).toEqual([304, '']);
      expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200);
    }
  });

  it.each([
    ['limit=0', { limit: 'Limit is too small (at least 1).' }],
    ['limit=1001', { limit: 'Limit is too big (at most 1000).' }],
    ['limit=many', { limit: 'Limit must be a whole number.' }],
    [`search=${'x'.repeat(81)}`, { search: 'Search is too long (at most 80 characters).' }],
    ['search=%00&limit=-1', { limit: 'Limit is too small (at least 1).' }],
  ])('are refused for %s', async (query, failures) => {
    const { status, json } = await get(`/api/crops?${query}`);
    expect([status, json]).toEqual([422, failures]);
  });

  it('stop the start, and are reported by doctor, when a row of CROPS_FILE is wrong', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'potager-crops-'));
    try {
      const file = join(folder, 'crops.tsv');
      writeFileSync(file, 'slug\tspread\nkale\twide\n');
      const settings = readSettings({ DATA_DIR: join(folder, 'data'), MQTT_PORT: '0', CROPS_FILE: file });
      const message = 'CROPS_FILE: row 1: the column "names.en" is missing';
      await expect(createApp(settings)).rejects.toThrow(`${message}.`);
      const checks = await runChecks(settings, silent);
      expect(checks.find(({ name }) => name === 'crops')).toEqual({ name: 'crops', ok: false, message });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
