import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ModelService } from '../../../src/ai/language-model.ts';
import { LanguageModel } from '../../../src/ai/language-model.ts';
import { freePort } from '../../support/free-port.ts';
import { waitUntil } from '../../support/robot-server.ts';
import { begin, done, finish, piece, StandInModel, sendText } from '../../support/stand-in-model.ts';

const server = new StandInModel();
let url: string;

beforeAll(async () => {
  url = await server.start();
});
afterEach(() => {
  server.respond = (response) => sendText(response, ['Hello']);
  server.requests.length = 0;
  server.abandoned = 0;
});
afterAll(() => server.stop());

const question = [{ role: 'user', content: 'Grüße' }] as const;

/** Returns the pieces and the failure message, if any. */
async function complete(service: Partial<ModelService> = {}, timeouts = { idle: 5000, total: 5000 }) {
  const model = new LanguageModel({ url, key: null, model: null, ...service }, timeouts);
  const pieces: string[] = [];
  try {
    for await (const text of model.answer(question, new AbortController().signal)) pieces.push(text);
    return { pieces, failure: null };
  } catch (error) {
    return { pieces, failure: error instanceof Error ? error.message : String(error) };
  }
}

describe('the request', () => {
  it('has no key and no model if none is configured', async () => {
    expect(await complete()).toEqual({ pieces: ['Hello'], failure: null });
    expect(server.requests).toEqual([
      {
        path: '/v1/chat/completions',
        headers: expect.not.objectContaining({ authorization: expect.anything() }),
        body: { messages: question, stream: true },
      },
    ]);
  });

  it('is sent to the configured URL', async () => {
    const origin = url.replace('/v1', '');
    for (const [base, path] of [
      [origin, '/chat/completions'],
      [`${url}//`, '/v1/chat/completions'],
      [`${url}/chat/completions`, '/v1/chat/completions'],
      [`${origin}/a%20b?version=2`, '/a%20b/chat/completions?version=2'],
    ] as const) {
      expect(await complete({ url: base })).toMatchObject({ failure: null });
      expect(server.requests.at(-1)?.path).toBe(path);
    }
  });

  it('uses the credentials in the URL unless there is a key', async () => {
    const named = url.replace('://', '://ada:s3cr%40t@');
    await complete({ url: named });
    expect(server.requests.at(-1)?.headers.authorization).toBe(`Basic ${Buffer.from('ada:s3cr@t').toString('base64')}`);
    await complete({ url: named, key: 'sk-1' });
    expect(server.requests.at(-1)?.headers.authorization).toBe('Bearer sk-1');
    server.respond = (response) => {
      response.writeHead(401).end('{"error":{"message":"no s3cr@t, no sk-1"}}');
    };
    expect(await complete({ url: named, key: 'sk-1' })).toEqual({ pieces: [], failure: 'no …, no …' });
  });
});

describe('a model', () => {
  it('is reported as unreachable if it is not running', async () => {
    expect(await complete({ url: `http://127.0.0.1:${await freePort()}` })).toEqual({
      pieces: [],
      failure: 'The language model cannot be reached (ECONNREFUSED).',
    });
    expect(await complete({ url: 'http://model.invalid/v1' })).toEqual({
      pieces: [],
      failure: expect.stringMatching(/cannot be reached \((ENOTFOUND|EAI_AGAIN)\)/),
    });
  });

  it.each([
    ['before it answers', [], () => undefined],
    [
      'before its first word',
      [],
      (response: Parameters<StandInModel['respond']>[0]) => void begin(response).write(': x\n'),
    ],
    [
      'in the middle',
      ['Half'],
      (response: Parameters<StandInModel['respond']>[0]) => void begin(response).write(piece('Half')),
    ],
  ])('times out if it sends nothing %s', async (_when, pieces, respond) => {
    server.respond = respond;
    expect(await complete({}, { idle: 60, total: 5000 })).toEqual({
      pieces,
      failure: 'The language model took too long to answer.',
    });
    await waitUntil(() => server.abandoned === 1, 'the end of the request');
  });

  it('times out if its answer never ends', async () => {
    server.respond = (response) => {
      begin(response);
      const timer = setInterval(() => response.write(': thinking\n\n'), 5);
      response.on('close', () => clearInterval(timer));
    };
    expect(await complete({}, { idle: 5000, total: 100 })).toEqual({
      pieces: [],
      failure: 'The language model took too long to answer.',
    });
    await waitUntil(() => server.abandoned === 1, 'the end of the request');
  });

  it('ends its answer with an event, even if the connection stays open', async () => {
    server.respond = (response) => {
      begin(response).write(`${piece('All')}${finish}`);
    };
    expect(await complete()).toEqual({ pieces: ['All'], failure: null });
    server.respond = (response) => {
      begin(response).write(`${piece('All')}${done}`);
    };
    expect(await complete()).toEqual({ pieces: ['All'], failure: null });
  });

  it('is reported as unreachable if it does not speak HTTP', async () => {
    server.respond = (response) => {
      response.socket?.end('nonsense\r\n\r\n');
    };
    expect(await complete()).toEqual({ pieces: [], failure: expect.stringContaining('cannot be reached (HPE_') });
  });

  it('is reported by its status if its error response never ends', async () => {
    server.respond = (response) => {
      response.writeHead(500).end(`{"error":"${'x'.repeat(100_000)}"}`);
    };
    expect(await complete()).toEqual({ pieces: [], failure: 'The language model could not answer (status 500).' });
  });

  it('is aborted when the caller stops reading', async () => {
    server.respond = (response) => {
      begin(response).write(piece('One'));
    };
    const model = new LanguageModel({ url, key: null, model: null });
    for await (const text of model.answer(question, new AbortController().signal)) {
      expect(text).toBe('One');
      break;
    }
    await waitUntil(() => server.abandoned === 1, 'the end of the request');
  });
});
