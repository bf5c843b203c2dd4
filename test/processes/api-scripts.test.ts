import { spawn } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { scriptsIn, shellBlocks, Terminal } from '../support/pasted-blocks.ts';
import { anyPort, startServer, suiteServer } from '../support/servers.ts';

const page = 'docs/api.md';

/** The shell blocks of the page by their beginnings, with the output of each. */
const steps = [
  { begins: 'export API=', prints: /"name":/ },
  { begins: 'export SESSION=', prints: /^/ },
  { begins: 'api() {', prints: /"status":200.*x-total-count: 121.*rel="prev".*"name":"Name /s },
  { begins: 'node garden.mjs', prints: /^1 Bed 1$.*^120 Bed 120$.*^122 Slot 2$.*^422 \{"name":"Name /ms },
  { begins: 'python3 garden.py', prints: /^1 Bed 1$.*^120 Bed 120$.*^123 Slot 3$.*^422 \{"name":"Name /ms },
  { begins: 'node listen.mjs', prints: /^/ },
  { begins: 'export SECRET=', prints: /"name":"Watering can"/ },
];

const scripts = new Map([...scriptsIn(page, 'js'), ...scriptsIn(page, 'python')]);

it('the scripts of the page about the API work as they are written', async () => {
  const server = await startServer('sqlite', { EMAIL_VERIFICATION: 'off', FETCH_ALLOW: '127.0.0.1' });
  const port = await freePort();
  const own = (code: string) =>
    code.replaceAll('localhost:3000', `127.0.0.1:${server.port}`).replaceAll('4000', String(port));
  const terminal = new Terminal({
    folder: server.folder,
    env: { PATH: process.env.PATH ?? '', HOME: server.folder },
  });
  try {
    const password = 'a-long-password';
    const user = { name: 'Ada', email: 'ada@example.com', password, password_confirmation: password };
    expect((await server.client.post('/api/users', user)).status).toBe(200);
    const { json } = await server.client.post('/api/tokens', { user: { email: user.email, password } });
    const beds = Array.from({ length: 120 }, (_, index) => ({
      method: 'POST',
      path: '/api/points',
      body: { pointer_type: 'GenericPointer', name: `Bed ${index + 1}`, x: index, y: 0, z: 0, radius: 1 },
    }));
    const { token } = json as { token: { encoded: string } };
    for (const part of [beds.slice(0, 100), beds.slice(100)])
      expect((await server.client.send('POST', '/api/batch', { token: token.encoded, body: part })).status).toBe(200);

    for (const [name, code] of scripts) await writeFile(join(server.folder, name), own(code));
    const blocks = shellBlocks(page);
    expect(blocks.map((block, index) => block.slice(0, steps[index]?.begins.length))).toEqual(
      steps.map(({ begins }) => begins),
    );
    for (const [index, { prints }] of steps.entries())
      expect(await terminal.paste(own(blocks[index] ?? ''))).toMatch(prints);
    await expect.poll(() => terminal.printed).toMatch(/^Tool\.created .*'Watering can'/m);
    // Listeners report changes after they connected.
    let changes = 0;
    const change = async () => {
      await server.client.send('POST', '/api/tools', { token: token.encoded, body: { name: `Pot ${++changes}` } });
      return terminal.printed;
    };
    for (const line of [/^JavaScript Tool created$/m, /^Python Tool created$/m, /^data: .*"name":"Pot /m])
      await expect.poll(change).toMatch(line);
  } finally {
    await terminal.close();
    await server.remove();
  }
});

describe('the story on the page about the API', () => {
  const server = suiteServer('sqlite', { EMAIL_VERIFICATION: 'off', FETCH_ALLOW: '127.0.0.1', MQTT_PORT: anyPort });

  it('is seen in the stream, in a signed webhook, and by a viewer who changes nothing', async () => {
    const story = scripts.get('story.mjs') ?? expect.unreachable('no story');
    await symlink(resolve('node_modules'), join(server.folder, 'node_modules'));
    const path = join(server.folder, 'story.mjs');
    await writeFile(path, story.replaceAll('4000', String(await freePort())));
    const env = { PATH: process.env.PATH, API: `${server.base}/api` };
    const program = spawn(process.execPath, [path], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = (await text(program.stdout)).trimEnd().split('\n');
    const of = (reader: string) => lines.filter((line) => line.startsWith(reader));
    expect(of('stream')).toEqual(['stream created', 'stream deleted', 'stream created']);
    expect(of('webhook')).toEqual(['webhook Point.created', 'webhook Point.deleted', 'webhook Point.created']);
    expect(of('viewer sync')).toEqual(['viewer sync Point', 'viewer sync Point', 'viewer sync Point']);
    expect(of('viewer [')).toEqual(["viewer [ 'Tomato' ]"]);
    expect(of('logs')).toEqual(['logs 0']);
    // Every other request succeeded.
    expect(lines.filter((line) => / \d{3}$/.test(line))).toEqual(['PATCH /points/1 403']);
  });
});
