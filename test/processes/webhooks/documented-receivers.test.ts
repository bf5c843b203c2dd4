import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { signUp } from '../../support/accounts.ts';
import { freePort } from '../../support/free-port.ts';
import { textAt } from '../../support/json.ts';
import { codeBlocks } from '../../support/pasted-blocks.ts';
import { suiteServer } from '../../support/servers.ts';

/** Returns a script of the page about webhooks; its name is the comment in its first line. */
const scriptOf = (name: string): string =>
  codeBlocks('docs/following-changes.md', 'js').find((code) => code.startsWith(`// ${name}\n`)) ??
  expect.unreachable(`no ${name}`);

describe('the receivers on the page about webhooks', () => {
  const server = suiteServer('sqlite', { EMAIL_VERIFICATION: 'off', FETCH_ALLOW: '127.0.0.1' });

  it('take signed deliveries, with headers of Node.js and of the Fetch standard, and refuse others', async () => {
    await symlink(resolve('node_modules'), join(server.folder, 'node_modules'));
    // The first account administers the server: its webhooks may reach this machine.
    const { token } = await signUp({ client: server.client, outbox: null }, 'gardener');
    const webhookAt = async (port: number): Promise<string> => {
      const hook = { url: `http://127.0.0.1:${port}/`, resources: ['Tool'] };
      return textAt((await server.client.post('/api/webhooks', hook, token)).json, 'secret');
    };
    const forged = async (port: number) => {
      const headers = { 'webhook-id': 'x', 'webhook-timestamp': String(Math.floor(Date.now() / 1000)) };
      const signature = { 'webhook-signature': 'v1,AAAA' };
      const body = '{"type":"Tool.created","data":{"record":{}}}';
      return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers: { ...headers, ...signature }, body }))
        .status;
    };

    const port = await freePort();
    const path = join(server.folder, 'receiver.mjs');
    await writeFile(path, scriptOf('receiver.mjs').replace('4000', String(port)));
    const receiver = spawn(process.execPath, [path], {
      env: { PATH: process.env.PATH, SECRET: await webhookAt(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    receiver.stdout.setEncoding('utf8').on('data', (part: string) => {
      printed += part;
    });

    // Runs the handler as servers of the Fetch standard do.
    const runtime = createServer(async (request, response) => {
      const url = `http://${request.headers.host}${request.url}`;
      const headers = new Headers(request.headers as Record<string, string>);
      const sent = new Request(url, { method: 'POST', headers, body: await text(request) });
      response.writeHead((await handler.fetch(sent)).status).end();
    }).listen(0, '127.0.0.1');
    await once(runtime, 'listening');
    const { port: workerPort } = runtime.address() as AddressInfo;
    const worker = join(server.folder, 'worker.mjs');
    await writeFile(worker, scriptOf('worker.mjs'));
    vi.stubEnv('SECRET', await webhookAt(workerPort));
    const { default: handler } = (await import(pathToFileURL(worker).href)) as {
      default: { fetch(request: Request): Promise<Response> };
    };
    const logged: unknown[] = [];
    const log = vi.spyOn(console, 'log').mockImplementation((...values) => void logged.push(values));
    try {
      await expect.poll(() => forged(port).catch(() => 0)).toBe(401);
      expect(await forged(workerPort)).toBe(401);
      expect((await server.client.post('/api/tools', { name: 'Watering can' }, token)).status).toBe(200);
      await expect.poll(() => printed).toMatch(/^Tool\.created \{[^}]*name: 'Watering can'/);
      await expect.poll(() => logged).toEqual([['Tool.created', expect.objectContaining({ name: 'Watering can' })]]);
    } finally {
      log.mockRestore();
      vi.unstubAllEnvs();
      receiver.kill();
      runtime.close();
    }
  });
});
