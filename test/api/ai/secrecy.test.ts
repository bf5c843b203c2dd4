import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createApp } from '../../../src/app.ts';
import { readSettings } from '../../../src/settings/settings.ts';
import { signUp } from '../../support/accounts.ts';
import { startApp } from '../../support/app.ts';
import { describeAnyEngine, describeEngines } from '../../support/engines.ts';
import { HttpClient } from '../../support/http-client.ts';
import { createTempFolder } from '../../support/servers.ts';
import { StandInModel } from '../../support/stand-in-model.ts';

describeAnyEngine('the log of a server with a language model', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await createTempFolder();
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('contains no prompts, answers and keys', async () => {
    const model = new StandInModel();
    const AI_URL = (await model.start()).replace('://', '://ada:hunter2@');
    let log = '';
    const logger = pino(
      { level: 'trace' },
      new Writable({
        write(part, _encoding, next) {
          log += part;
          next();
        },
      }),
    );
    const settings = {
      HOST: '127.0.0.1',
      PORT: '0',
      MQTT_PORT: '0',
      DATA_DIR: join(folder, 'data'),
      EMAIL_VERIFICATION: 'off',
      AI_URL,
      AI_KEY: 'sk-hunter3',
    };
    const app = await createApp(readSettings(settings), { logger });
    const client = new HttpClient((await app.listen()).address);
    try {
      const { token } = await signUp({ client, outbox: null }, 'asker');
      const ask = () => client.post('/api/ai', { prompt: 'my private question', context_key: 'lua' }, token);
      model.respond = (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end('{"choices":[{"message":{"content":"a private answer"}}]}');
      };
      expect((await ask()).text).toBe('a private answer');
      model.respond = (response) => {
        response.writeHead(400).end('{"error":"no: my private question, sk-hunter3"}');
      };
      expect((await ask()).json).toEqual({ error: { message: 'no: my private question, …' } });
    } finally {
      client.close();
      await app.close();
      await model.stop();
    }
    expect(log).toContain('the language model failed');
    expect(log).not.toMatch(/private|hunter/);
  });
});

describeEngines('a server without a language model', (engine) => {
  it('fails immediately and counts the questions', async () => {
    const server = await startApp(engine);
    try {
      const { token } = await server.signUp();
      const ask = () => server.call('POST', '/api/ai', { token, body: { prompt: 'Blink' } });
      const { status, json } = await ask();
      expect([status, json]).toEqual([
        422,
        { error: { message: 'This server has no language model. Its operator can configure one.' } },
      ]);
      // The window may change in between, so twice the limit of one.
      const statuses = await Promise.all(Array.from({ length: 24 }, async () => (await ask()).status));
      expect(statuses).toContain(403);
      const { json: logs } = await server.call('GET', '/api/logs', { token });
      expect(logs).toEqual([]);
    } finally {
      await server.close();
    }
  });
});
