import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import inject, { type Response } from 'light-my-request';
import type { App } from '../../src/app.ts';
import { createApp } from '../../src/app.ts';
import type { Clock } from '../../src/core/clock.ts';
import { systemClock } from '../../src/core/clock.ts';
import { readSettings, type Settings } from '../../src/settings/settings.ts';
import { createMigratedDatabase, dropDatabase } from './databases.ts';
import type { Engine } from './engines.ts';
import { testPasswordCost } from './password-cost.ts';
import { checkReply } from './reply-check.ts';
import { suiteFixture } from './suite-fixture.ts';

/** A response, with its body parsed if it is JSON. */
export interface TestResponse {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests access bodies of any shape
  readonly json: any;
  readonly text: string;
  readonly headers: Record<string, unknown>;
}

export interface Account {
  readonly email: string;
  readonly token: string;
  readonly userId: number;
  readonly deviceId: number;
}

/** A server in this process, called without sockets. Every response is checked against the published schema. */
export interface TestApp {
  readonly app: App;
  readonly settings: Settings;
  call(
    method: string,
    path: string,
    options?: {
      token?: string | undefined;
      body?: unknown;
      raw?: string;
      headers?: Record<string, string>;
      /** The client's IP address; loopback by default, which is not rate-limited. */
      from?: string;
    },
  ): Promise<TestResponse>;
  signUp(): Promise<Account>;
  close(): Promise<void>;
}

/** Returns the body of a refused request for a stream; an accepted one is closed. */
async function readFailure(response: Response): Promise<string> {
  const stream = response.stream();
  if (response.statusCode === 200) {
    stream.destroy();
    return '';
  }
  return textOf(stream);
}

export const password = 'password123';

let accounts = 0;

export async function startApp(
  engine: Engine,
  environment: Record<string, string> = {},
  clock: Clock = systemClock,
): Promise<TestApp> {
  const folder = mkdtempSync(join(tmpdir(), 'potager-app-'));
  const url = await createMigratedDatabase(engine, environment.DATA_DIR ?? folder);
  const settings = readSettings({
    DATA_DIR: folder,
    EMAIL_VERIFICATION: 'off',
    RATE_LIMITS: 'off',
    MQTT_PORT: '0',
    LOG_LEVEL: 'silent',
    ...(url && { DATABASE_URL: url }),
    ...environment,
  });
  const app = await createApp(settings, { onReply: checkReply, clock, passwordCost: testPasswordCost });
  const call: TestApp['call'] = async (method, path, { token, body, raw, headers, from } = {}) => {
    const isEventStream = method === 'GET' && /^\/api\/events(?:\.json|\/)?(?:\?|$)/.test(path);
    const response = await inject(app.http.handler, {
      method: method as 'GET',
      url: path,
      // A stream of events has no end.
      payloadAsStream: isEventStream,
      ...(from && { remoteAddress: from }),
      headers: {
        'user-agent': 'test',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token && { authorization: token }),
        ...headers,
      },
      ...(body !== undefined || raw !== undefined ? { payload: raw ?? JSON.stringify(body) } : {}),
    });
    const text = isEventStream ? await readFailure(response) : response.body;
    const isJson = text !== '' && String(response.headers['content-type']).startsWith('application/json');
    return {
      status: response.statusCode,
      text,
      json: isJson ? JSON.parse(text) : undefined,
      headers: response.headers,
    };
  };
  return {
    app,
    settings,
    call,
    async signUp() {
      const email = `gardener.${++accounts}.${process.pid}@example.com`;
      const response = await call('POST', '/api/users', {
        body: { name: 'Gardener', email, password, password_confirmation: password, agree_to_terms: true },
      });
      if (response.status !== 200) throw new Error(`sign-up: ${response.status} ${response.text}`);
      const { json, status, text } = await call('POST', '/api/tokens', { body: { user: { email, password } } });
      if (status !== 200) throw new Error(`sign-in: ${status} ${text}`);
      return { email, token: json.token.encoded, userId: json.user.id, deviceId: json.user.device_id };
    },
    async close() {
      await app.close();
      if (url) await dropDatabase(url);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A server of {@link startApp} for all tests of the suite. */
export const suiteApp = (...options: Parameters<typeof startApp>): TestApp =>
  suiteFixture(
    () => startApp(...options),
    (server) => server.close(),
  );

/** An account for all tests of the suite. */
export const suiteAccount = <T extends object>(server: { signUp(): Promise<T> }): T =>
  suiteFixture(() => server.signUp());
