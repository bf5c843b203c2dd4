import { request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Account, TestApp } from '../../support/app.ts';
import { startApp } from '../../support/app.ts';
import { waitUntil } from '../../support/robot-server.ts';
import { begin, done, finish, piece, StandInModel, sendInPackets, sendText } from '../../support/stand-in-model.ts';

const minute = 60_000;
const key = 'sk-very-secret-key';

/** A streamed response. */
interface Streamed {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly pieces: string[];
  readonly text: string;
}

describe('a language model', () => {
  const clock = { time: Date.UTC(2026, 3, 1, 10, 0, 30), now: () => clock.time };
  const model = new StandInModel();
  let server: TestApp;
  let base: string;
  let account: Account;
  let sequenceId: number;

  beforeAll(async () => {
    const AI_URL = await model.start();
    server = await startApp(
      'sqlite',
      { HOST: '127.0.0.1', PORT: '0', AI_URL: `${AI_URL}/`, AI_KEY: key, AI_MODEL: 'garden-7b' },
      clock,
    );
    ({ address: base } = await server.app.listen());
    account = await server.signUp();
    const created = await server.call('POST', '/api/sequences', {
      token: account.token,
      body: { name: 'Old name', body: [{ kind: 'wait', args: { milliseconds: 5 } }] },
    });
    sequenceId = created.json.id;
  });
  afterEach(() => {
    model.respond = (response) => sendText(response, ['Hello']);
    model.requests.length = 0;
    model.abandoned = 0;
    clock.time += 24 * 60 * minute;
  });
  afterAll(async () => {
    await server.close();
    await model.stop();
  });

  /** Sends a request over a real connection. `signal` closes it. */
  function ask(body: object, { token = account.token, signal }: { token?: string; signal?: AbortSignal } = {}) {
    return new Promise<Streamed>((resolve, reject) => {
      const sent = httpRequest(
        `${base}/api/ai`,
        // The request of the web app. [rule S13]
        {
          method: 'POST',
          agent: false,
          headers: { authorization: `Bearer: ${token}`, 'content-type': 'text/plain;charset=UTF-8', 'user-agent': 'x' },
          ...(signal && { signal }),
        },
        (response) => {
          const pieces: string[] = [];
          response.setEncoding('utf8');
          response.on('data', (part: string) => pieces.push(part));
          response.on('error', reject);
          response.on('end', () => {
            const { statusCode = 0, headers } = response;
            resolve({ status: statusCode, headers, pieces, text: pieces.join('') });
          });
        },
      );
      sent.on('error', reject);
      sent.end(JSON.stringify(body));
    });
  }

  const lua = { prompt: 'Blink the light', context_key: 'lua', sequence_id: null };

  /** Returns the newest log of the account. */
  async function newestLog(): Promise<unknown> {
    const { json } = await server.call('GET', '/api/logs', { token: account.token });
    const [newest] = json;
    return newest === undefined ? null : { type: newest.type, message: newest.message, channels: newest.channels };
  }

  const logCount = async (): Promise<number> =>
    (await server.call('GET', '/api/logs', { token: account.token })).json.length;

  describe('scripts', () => {
    it('streams only text, each piece as it arrives', async () => {
      const seen: string[] = [];
      model.respond = async (response) => {
        begin(response).write(`: loading\n\n${piece('```lua\n')}`);
        await waitUntil(() => seen.length === 1, 'the first piece');
        response.write(piece('-- grün'));
        await waitUntil(() => seen.length === 2, 'the second piece');
        response.end(`${piece('\n```')}${finish}${done}`);
      };
      const answered = new Promise<string>((resolve, reject) => {
        const sent = httpRequest(`${base}/api/ai`, {
          method: 'POST',
          agent: false,
          headers: { authorization: account.token, 'user-agent': 'x' },
        });
        sent.on('response', (response) => {
          expect(response.statusCode).toBe(200);
          expect(response.headers['content-type']).toBe('text/event-stream');
          expect(response.headers['last-modified']).toBe('Wed, 01 Apr 2026 10:00:30 GMT');
          expect(response.headers['transfer-encoding']).toBe('chunked');
          response.setEncoding('utf8');
          response.on('data', (part: string) => seen.push(part));
          response.on('end', () => resolve(seen.join('')));
        });
        sent.on('error', reject);
        sent.end(JSON.stringify(lua));
      });
      expect(await answered).toBe('```lua\n-- grün\n```');
      expect(seen).toEqual(['```lua\n', '-- grün', '\n```']);
    });

    it('sends the equipment of the robot and the language of the user', async () => {
      const { token } = await server.signUp();
      const make = (path: string, body: object) => server.call('POST', path, { token, body });
      await make('/api/peripherals', { pin: 8, label: 'Pump' });
      await make('/api/sensors', { pin: 59, label: 'Soil', mode: 1 });
      const tool = (await make('/api/tools', { name: 'Seeder' })).json;
      await server.call('PATCH', '/api/users', { token, body: { language: 'Suomi' } });
      expect(await ask({ ...lua, context_key: 'title' }, { token })).toMatchObject({ status: 200, text: 'Hello' });
      const [accepted] = model.requests;
      expect(accepted).toMatchObject({
        path: '/v1/chat/completions',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: { model: 'garden-7b', stream: true },
      });
      expect(accepted?.body.messages.map(({ role }) => role)).toEqual(['system', 'user']);
      expect(accepted?.body.messages[0]?.content).toContain('take_photo(width?, height?, arguments?)');
      const user = accepted?.body.messages[1]?.content;
      for (const part of [
        'peripherals [{"name":"Pump","pin_number":8}]',
        'sensors [{"name":"Soil","pin_number":59}]',
        `tools [{"name":"Seeder","id":${tool.id}}]`,
        'Blink the light',
        'Suomi',
      ])
        expect(user).toContain(part);
    });

    it.each([1, 3, 17])('joins characters that are split by chunks of %i bytes', async (size) => {
      const bytes = Buffer.from(`${piece('Größe 🌱')}${piece(' и «ещё»')}${finish}${done}`.replaceAll('\n', '\r\n'));
      model.respond = async (response) => {
        await sendInPackets(begin(response), bytes, size);
        response.end();
      };
      expect(await ask(lua)).toMatchObject({ status: 200, text: 'Größe 🌱 и «ещё»' });
    });

    it('accepts an answer without streaming', async () => {
      model.respond = (response) => {
        response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
        response.end('{"choices":[{"message":{"content":"All at once"}}]}');
      };
      expect(await ask(lua)).toMatchObject({ status: 200, text: 'All at once' });
    });
  });

  it.each([
    ['title', 'name', '25 characters'],
    ['color', 'color', 'gray'],
    ['description', 'description', '75 words'],
  ])('sends the sequence without the %s that is requested', async (context_key, field, instruction) => {
    expect(await ask({ prompt: '', context_key, sequence_id: sequenceId })).toMatchObject({ status: 200 });
    const user = model.requests[0]?.body.messages[1]?.content ?? '';
    expect(user).toContain(instruction);
    const sent = JSON.parse(user.split('\n\n').at(-1) ?? '');
    const shown = (await server.call('GET', `/api/sequences/${sequenceId}`, { token: account.token })).json;
    const { created_at: _made, updated_at: _changed, [field]: _asked, ...rest } = shown;
    expect(sent).toEqual(rest);
  });

  it('sends no invalid questions, and does not count them towards the limits', async () => {
    const other = await server.signUp();
    const foreign = await server.call('POST', '/api/sequences', { token: other.token, body: { name: 'S', body: [] } });
    const bad: [object, number, unknown][] = [
      [{ context_key: 'title', sequence_id: 999_999_999 }, 404, { error: expect.any(String) }],
      [{ context_key: 'title', sequence_id: 0 }, 404, { error: expect.any(String) }],
      [{ context_key: 'color', sequence_id: foreign.json.id }, 404, { error: expect.any(String) }],
      [{ context_key: 'lua', sequence_id: sequenceId }, 422, { context_key: expect.any(String) }],
      [{ context_key: null, sequence_id: sequenceId, prompt: 'x' }, 422, { context_key: expect.any(String) }],
      [{ sequence_id: sequenceId }, 422, { context_key: expect.any(String) }],
      [{ context_key: 'title', sequence_id: 'first' }, 422, { sequence_id: expect.any(String) }],
      [{ prompt: 'x'.repeat(5001) }, 422, { prompt: expect.any(String) }],
      [{ prompt: ' ' }, 422, { prompt: expect.any(String) }],
      [{ prompt: ['x'] }, 422, { prompt: expect.any(String) }],
      [{}, 422, { prompt: expect.any(String) }],
      [[], 422, { error: expect.any(String) }],
    ];
    for (const [body, status, json] of bad)
      expect([body, await server.call('POST', '/api/ai', { token: account.token, body })]).toEqual([
        body,
        expect.objectContaining({ status, json }),
      ]);
    expect((await server.call('POST', '/api/ai', { body: lua })).status).toBe(401);
    expect(model.requests).toEqual([]);
    for (let i = 0; i < 11; i++) expect((await ask(lua)).status).toBe(200);
    expect((await ask(lua)).status).toBe(403);
  });

  it('sends at most 11 questions a minute, 101 an hour and 201 a day per device, including failed ones', async () => {
    const { token } = await server.signUp();
    const other = await server.signUp();
    const countAccepted = async (max: number): Promise<number> => {
      for (let count = 0; count < max; count++) {
        const { status, json } = await server.call('POST', '/api/ai', { token, body: lua });
        if (status !== 403) continue;
        expect(json).toEqual({ error: expect.any(String) });
        return count;
      }
      return max;
    };
    clock.time = Math.ceil(clock.time / (24 * 60 * minute)) * 24 * 60 * minute;
    model.respond = (response) => {
      response.writeHead(500).end();
    };
    expect(await countAccepted(20)).toBe(11);
    clock.time += minute - 1;
    expect(await countAccepted(20)).toBe(0);
    clock.time += 1;
    model.respond = (response) => sendText(response, ['Hello']);
    let accepted = 11;
    for (; accepted < 101; clock.time += minute) {
      const count = await countAccepted(20);
      expect(count).toBe(Math.min(11, 101 - accepted));
      accepted += count;
    }
    expect(await countAccepted(20)).toBe(0);
    expect((await server.call('POST', '/api/ai', { token: other.token, body: lua })).status).toBe(200);
    clock.time = Math.ceil(clock.time / (60 * minute)) * 60 * minute;
    for (; accepted < 201; clock.time += minute) accepted += await countAccepted(20);
    expect(accepted).toBe(201);
    clock.time += 2 * 60 * minute;
    expect(await countAccepted(20)).toBe(0);
    clock.time = Math.ceil(clock.time / (24 * 60 * minute)) * 24 * 60 * minute;
    expect(await countAccepted(20)).toBe(11);
  });

  describe('failures', () => {
    it.each([
      [
        'with an error message',
        429,
        '{"error":{"message":"Rate limit reached"}}',
        'Rate limit reached',
        'The language model could not answer (status 429).',
      ],
      [
        'with the key in its error message',
        401,
        `{"error":{"message":"Bad key ${key}!"}}`,
        'Bad key …!',
        'The language model could not answer (status 401).',
      ],
      [
        'without an error message',
        502,
        '<html>',
        'The language model could not answer (status 502).',
        'The language model could not answer (status 502).',
      ],
      [
        'with a redirect',
        307,
        '',
        'The language model could not answer (status 307).',
        'The language model could not answer (status 307).',
      ],
    ])('respond 422 and add a log: %s', async (_how, status, body, message, notice) => {
      model.respond = (response) => {
        response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end(body);
      };
      const response = await server.call('POST', '/api/ai', { token: account.token, body: lua });
      expect([response.status, response.json]).toEqual([422, { error: { message } }]);
      await waitUntil(async () => JSON.stringify(await newestLog()).includes(notice), 'the notice');
      expect(await newestLog()).toEqual({ type: 'error', message: notice, channels: ['toast'] });
    });

    it.each([
      ['a page', '<html>\n<p>data\n</html>\n', 'The response of the language model could not be parsed.'],
      ['no JSON', 'data: {"choices"\n\n', 'The response of the language model could not be parsed.'],
      ['an error', 'data: {"error":{"message":"out of memory"}}\n\n', 'out of memory'],
      ['nothing', '', 'The response of the language model could not be parsed.'],
      ['no text', `${finish}${done}`, 'The language model gave no text.'],
      ['an endless line', `data: ${'x'.repeat(300_000)}`, 'The answer of the language model is too long.'],
    ])('respond 422: %s instead of an answer', async (_what, body, message) => {
      model.respond = (response) => {
        begin(response).end(body);
      };
      const response = await server.call('POST', '/api/ai', { token: account.token, body: lua });
      expect([response.status, response.json]).toEqual([422, { error: { message } }]);
    });

    it('respond 422 when the connection closes', async () => {
      model.respond = (response) => {
        response.socket?.destroy();
      };
      const { status, json } = await server.call('POST', '/api/ai', { token: account.token, body: lua });
      expect([status, json]).toEqual([
        422,
        { error: { message: 'The language model cannot be reached (ECONNRESET).' } },
      ]);
    });

    it.each([
      [
        'a closed connection',
        'The language model stopped in the middle of its answer (ECONNRESET).',
        (response: Parameters<StandInModel['respond']>[0]) => {
          begin(response).write(piece('Half a'));
          setTimeout(() => response.socket?.destroy(), 50);
        },
      ],
      [
        'an incomplete event',
        'The language model stopped in the middle of its answer.',
        (response: Parameters<StandInModel['respond']>[0]) => {
          begin(response).end(`${piece('Half a')}data: {"choi`);
        },
      ],
      [
        'malformed JSON',
        'The response of the language model could not be parsed.',
        (response: Parameters<StandInModel['respond']>[0]) => {
          begin(response).end(`${piece('Half a')}data: {"choi\n\n${piece('nn')}${done}`);
        },
      ],
    ])('end the response and add a log during the answer: %s', async (_how, notice, respond) => {
      model.respond = respond;
      expect(await ask(lua)).toMatchObject({ status: 200, text: 'Half a' });
      await waitUntil(async () => JSON.stringify(await newestLog()).includes(notice), 'the notice');
      expect(await newestLog()).toEqual({ type: 'warn', message: notice, channels: ['toast'] });
    });

    it('abort an endless answer', async () => {
      model.respond = async (response) => {
        begin(response);
        while (!response.destroyed) {
          response.write(piece('x'.repeat(10_000)));
          await sleep(1);
        }
      };
      const { status, text } = await ask(lua);
      expect([status, text.length]).toEqual([200, 100_000]);
      await waitUntil(() => model.abandoned === 1, 'the end of the request');
    });
  });

  it('aborts the request when the client disconnects, before or after the first piece', async () => {
    const countBefore = await logCount();
    model.respond = () => undefined;
    const early = new AbortController();
    const first = ask(lua, { signal: early.signal }).catch(() => 'closed');
    await waitUntil(() => model.requests.length === 1, 'the question');
    early.abort();
    expect(await first).toBe('closed');
    await waitUntil(() => model.abandoned === 1, 'the end of the request');

    model.respond = (response) => {
      begin(response).write(piece('Hello'));
    };
    const later = new AbortController();
    const second = new Promise<string>((resolve) => {
      const sent = httpRequest(`${base}/api/ai`, {
        method: 'POST',
        agent: false,
        signal: later.signal,
        headers: { authorization: account.token, 'user-agent': 'x' },
      });
      sent.on('response', (response) => {
        response.on('error', () => resolve('closed'));
        response.once('data', () => later.abort());
      });
      sent.on('error', () => resolve('closed'));
      sent.end(JSON.stringify(lua));
    });
    expect(await second).toBe('closed');
    await waitUntil(() => model.abandoned === 2, 'the end of the second request');
    // A later failure is the only new log.
    const count = await logCount();
    model.respond = (response) => {
      response.writeHead(500).end();
    };
    await ask(lua);
    await waitUntil(async () => (await logCount()) > count, 'the log');
    expect([countBefore, count, await logCount()]).toEqual([countBefore, countBefore, countBefore + 1]);
  });
});
