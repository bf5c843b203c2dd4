import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { resources } from '../../src/resources.ts';
import type { Account, TestApp, TestResponse } from './app.ts';
import { startApp } from './app.ts';
import type { Engine } from './engines.ts';
import { example, hasExample } from './examples.ts';
import type { Operation } from './operations.ts';
import { publishedOperations } from './operations.ts';
import { storeRun } from './stored-run.ts';
import { suiteFixture } from './suite-fixture.ts';

/** A word in all records of the victim. */
export const victimMarker = 'Victoria';

/** Resources of which the victim has a record. Sequences are created separately, and feedback cannot be read. */
export const ownedResources: readonly string[] = resources
  .filter((resource) => hasExample(resource) || resource.name === 'alerts')
  .map(({ name }) => name)
  .filter((name) => name !== 'sequences' && name !== 'ai_feedbacks');

/** The text fields that contain the mark, if it is not the name. */
const texts: Readonly<Record<string, string>> = {
  sensors: 'label',
  peripherals: 'label',
  farmware_envs: 'value',
  wizard_step_results: 'outcome',
  logs: 'message',
  sensor_readings: '',
  telemetries: '',
  pin_bindings: '',
  farmware_installations: '',
  farm_events: '',
  images: '',
};

/** Two accounts on one server: a victim with a record of each kind, and an attacker. */
export class TwoAccounts {
  readonly server: TestApp;
  /** The server's data folder. */
  readonly folder: string;
  readonly victim: Account;
  readonly attacker: Account;
  /** The operations that require a token. */
  readonly operations: readonly Operation[];
  /** The victim's ids by the first part of their paths. */
  readonly ids: Record<string, number> = {};

  private constructor(server: TestApp, folder: string, victim: Account, attacker: Account) {
    this.server = server;
    this.folder = folder;
    this.victim = victim;
    this.attacker = attacker;
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
    const webhook = { url: 'https://hooks.example/garden', description: victimMarker };
    ids.webhooks = (await this.as(victim, 'POST', '/api/webhooks', webhook)).json.id;
    ids.runs = await storeRun(this.server, victim, victimMarker);
    await this.as(victim, 'POST', '/api/logs', { message: victimMarker, type: 'error' });
    ids.notifications = (await this.as(victim, 'GET', '/api/notifications')).json[0].id;
    const rule = { way: 'email', kinds: ['error'] };
    ids.notification_rules = (await this.as(victim, 'POST', '/api/notification_rules', rule)).json.id;
    const token = { name: victimMarker, scopes: ['read'] };
    ids.personal_tokens = (await this.as(victim, 'POST', '/api/personal_tokens', token)).json.id;
    ids.sessions = (await this.as(victim, 'GET', '/api/sessions')).json[0].id;
    ids.alerts = (await this.as(victim, 'GET', '/api/alerts')).json[0].id;
    for (const name of ['fbos_config', 'firmware_config', 'web_app_config'])
      ids[name] = (await this.as(victim, 'GET', `/api/${name}`)).json.id;
    Object.assign(ids, { device: victim.deviceId, users: victim.userId, webcam_feed: ids.webcam_feeds });
    Object.assign(ids, { members: victim.userId, gardens: victim.deviceId });
    const invitation = { email: 'victor@example.com', role: 'viewer' };
    ids.invitations = (await this.as(victim, 'POST', '/api/invitations', invitation)).json.id;
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
    ids.history = (await this.as(victim, 'GET', '/api/history')).json[0].id;
  }

  call(token: string | undefined, method: string, path: string, body?: unknown): Promise<TestResponse> {
    return this.server.call(method, path, { token, ...(body !== undefined && { body }) });
  }

  /** Sends a request that must succeed. */
  async as({ token }: Account, method: string, path: string, body?: unknown): Promise<TestResponse> {
    const response = await this.call(token, method, path, body);
    expect(response.status, `${method} ${path} ${response.text}`).toBe(200);
    return response;
  }

  /** Sends a request of the attacker. */
  asAttacker(method: string, path: string, body?: unknown): Promise<TestResponse> {
    return this.call(this.attacker.token, method, path, body);
  }

  /** Returns everything that the account can read, except values that differ on each read. */
  async #readableContent({ token }: Account): Promise<string> {
    const paths = this.operations.filter(
      ({ method, path }) => method === 'GET' && !/\{|tokens|sync|search|storage_auth|\/admin\//.test(path),
    );
    const responses = await Promise.all(
      paths.map(async ({ path }) => `${path} ${(await this.call(token, 'GET', path)).text}`),
    );
    return responses
      .map((text) =>
        /^\/api\/(users|device|sessions) /.test(text)
          ? text.replaceAll(/"(?:updated|last_used)_at":"[^"]*"/g, '')
          : text.replace(/^(\/api\/garden .*)"ends_at":.*?"(?=timezone)(.*)"at":"[^"]*"/, '$1$2'),
      )
      .join('\n');
  }

  /** Runs attempts that must not change the victim, nor reveal anything about it. */
  async expectUnchanged(attempts: () => Promise<readonly TestResponse[]>): Promise<void> {
    const before = await this.#readableContent(this.victim);
    // The victim has 24 lists and records, most of which contain the mark.
    expect(before.split(victimMarker).length).toBeGreaterThan(15);
    for (const response of await attempts()) expect(response.text).not.toContain(victimMarker);
    expect(await this.#readableContent(this.victim)).toBe(before);
    expect(await this.#readableContent(this.attacker)).not.toContain(victimMarker);
  }
}

/** Two accounts for all tests of the suite. */
export const suiteAccounts = (engine: Engine): TwoAccounts =>
  suiteFixture(
    () => TwoAccounts.start(engine),
    (both) => both.stop(),
  );
