import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Account, TestApp, TestResponse } from './app.ts';
import { startApp } from './app.ts';
import type { Engine } from './engines.ts';
import { example } from './examples.ts';
import type { Operation } from './operations.ts';
import { publishedOperations } from './operations.ts';
import { suiteFixture } from './suite-fixture.ts';

/** The word that everything of the victim has in it. */
export const victimMarker = 'Victoria';

/** Resources of which the victim has a record. */
export const ownedResources = [
  ...[
    'tools',
    'sensors',
    'sensor_readings',
    'peripherals',
    'pin_bindings',
    'webcam_feeds',
    'farmware_envs',
    'farmware_installations',
  ],
  ...[
    'curves',
    'folders',
    'points',
    'point_groups',
    'saved_gardens',
    'plant_templates',
    'scene_objects',
    'wizard_step_results',
  ],
  ...['telemetries', 'logs', 'alerts', 'regimens', 'farm_events', 'images'],
];
/** Fields that hold the mark, where it is not the name; none where no text is free. */
const texts: Readonly<Record<string, string>> = {
  ...{
    sensors: 'label',
    peripherals: 'label',
    farmware_envs: 'value',
    wizard_step_results: 'outcome',
    logs: 'message',
    telemetries: 'throttled',
  },
  ...{ sensor_readings: '', pin_bindings: '', farmware_installations: '', farm_events: '', images: '' },
};

/** Two accounts on one server: one that has something of everything, and one that is after it. */
export class TwoAccounts {
  readonly server: TestApp;
  /** The server's data folder. */
  readonly folder: string;
  readonly victim: Account;
  readonly attacker: Account;
  /** Everything that needs a token. */
  readonly operations: readonly Operation[];
  /** The victim's ids by the first word of their paths, and that of a sequence. */
  readonly ids: Record<string, number> = {};

  private constructor(server: TestApp, folder: string, victim: Account, thief: Account) {
    this.server = server;
    this.folder = folder;
    this.victim = victim;
    this.attacker = thief;
    this.operations = publishedOperations(server.app).filter(({ isPrivate }) => isPrivate);
  }

  static async start(engine: Engine): Promise<TwoAccounts> {
    const folder = mkdtempSync(join(tmpdir(), 'potager-accounts-'));
    const server = await startApp(engine, { DATA_DIR: folder });
    const both = new TwoAccounts(server, folder, await server.signUp(), await server.signUp());
    await both.#fill();
    return both;
  }

  async stop(): Promise<void> {
    await this.server.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #fill(): Promise<void> {
    const { ids, victim } = this;
    for (const name of ownedResources.filter((each) => each !== 'alerts')) {
      const body = { ...(await example(this.server, name, victim)), [texts[name] ?? 'name']: victimMarker };
      ids[name] = (await this.as(victim, 'POST', `/api/${name}`, body)).json.id;
    }
    ids.alerts = (await this.as(victim, 'GET', '/api/alerts')).json[0].id;
    for (const name of ['fbos_config', 'firmware_config', 'web_app_config'])
      ids[name] = (await this.as(victim, 'GET', `/api/${name}`)).json.id;
    Object.assign(ids, { device: victim.deviceId, users: victim.userId, webcam_feed: ids.webcam_feeds });
    await this.as(victim, 'PATCH', '/api/device', { name: victimMarker, mounted_tool_id: ids.tools });
    await this.as(victim, 'PATCH', '/api/users', { name: victimMarker });
    await this.as(victim, 'PATCH', `/api/point_groups/${ids.point_groups}`, { point_ids: [ids.points] });
    await this.as(victim, 'PATCH', `/api/points/${ids.points}`, {
      water_curve_id: ids.curves,
      meta: { owner: victimMarker },
    });
    const { json } = await this.as(victim, 'POST', '/api/sequences', { name: 'Shared once', body: [] });
    await this.as(victim, 'POST', `/api/sequences/${json.id}/publish`, { copyright: victimMarker });
    const shared = (await this.as(victim, 'GET', `/api/sequences/${json.id}`)).json;
    ids.sequence_versions = shared.sequence_versions[0];
    await this.as(victim, 'POST', `/api/sequences/${json.id}/unpublish`);
    ids.sequences = (await this.as(victim, 'POST', '/api/sequences', { name: victimMarker, body: [] })).json.id;
  }

  call(token: string | undefined, method: string, path: string, body?: unknown): Promise<TestResponse> {
    return this.server.call(method, path, { token, ...(body !== undefined && { body }) });
  }

  /** Asks for what the account may do; fails unless it is done. */
  async as({ token }: Account, method: string, path: string, body?: unknown): Promise<TestResponse> {
    const answer = await this.call(token, method, path, body);
    expect(answer.status, `${method} ${path} ${answer.text}`).toBe(200);
    return answer;
  }

  /** Asks as the thief. */
  asAttacker(method: string, path: string, body?: unknown): Promise<TestResponse> {
    return this.call(this.attacker.token, method, path, body);
  }

  /** Everything that the account can read, but for times that reading itself moves and what is made anew each time. */
  async #belongings({ token }: Account): Promise<string> {
    const paths = this.operations.filter(
      ({ method, path }) => method === 'GET' && !/\{|tokens|sync|search|storage_auth/.test(path),
    );
    const answers = await Promise.all(
      paths.map(async ({ path }) => `${path} ${(await this.call(token, 'GET', path)).text}`),
    );
    return answers
      .map((text) => (/^\/api\/(users|device) /.test(text) ? text.replaceAll(/"updated_at":"[^"]*"/g, '') : text))
      .join('\n');
  }

  /** Runs attempts that must leave the victim as it was, and tell the thief nothing of it. */
  async expectUnchanged(attempts: () => Promise<readonly TestResponse[]>): Promise<void> {
    const before = await this.#belongings(this.victim);
    // The least that it has: 24 lists and records, most of them marked.
    expect(before.split(victimMarker).length).toBeGreaterThan(15);
    for (const answer of await attempts()) expect(answer.text).not.toContain(victimMarker);
    expect(await this.#belongings(this.victim)).toBe(before);
    expect(await this.#belongings(this.attacker)).not.toContain(victimMarker);
  }
}

/** Two accounts for all tests of the suite. */
export const suiteAccounts = (engine: Engine): TwoAccounts =>
  suiteFixture(
    () => TwoAccounts.start(engine),
    (both) => both.stop(),
  );
