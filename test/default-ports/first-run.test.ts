import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uniqueEmail } from '../support/accounts.ts';
import { freePort } from '../support/free-port.ts';
import { HttpClient } from '../support/http-client.ts';
import { cloned, released } from '../support/installations.ts';
import { numberAt, textAt } from '../support/json.ts';
import { shellBlocks, Terminal } from '../support/pasted-blocks.ts';
import { createTempFolder, ServerProcess } from '../support/servers.ts';

describe('an empty folder', () => {
  let server: ServerProcess;

  beforeAll(async () => {
    // Only the port is set, because 3000 may be in use.
    server = new ServerProcess(await createTempFolder(), await freePort(), {});
    await server.start();
  });

  afterAll(async () => {
    await server.remove();
  });

  it('works in an empty folder without settings, and persists data', async () => {
    const { client } = server;
    const email = uniqueEmail('ada');
    const password = 'password123';
    const registration = { name: 'Ada', email, password, password_confirmation: password, agree_to_terms: true };
    expect((await client.post('/api/users', registration)).status).toBe(200);
    // Without a mail server, the account needs no confirmation.
    const session = await client.post('/api/tokens', { user: { email, password } });
    expect(session.status).toBe(200);
    const token = textAt(session.json, 'token.encoded');

    // The link contains the address of the machine.
    expect((await client.post('/api/password_resets', { email })).status).toBe(200);
    const link = await server.outbox.linkTo(email, 'password_reset');
    await expect.poll(() => server.logs()).toContain(link.href);
    const mailed = new HttpClient(link.origin);
    expect((await mailed.get(link.pathname)).status).toBe(200);
    mailed.close();

    const created = await client.post('/api/tools', { name: 'Trowel' }, token);
    expect(created.status).toBe(200);
    const id = numberAt(created.json, 'id');
    const tools = await client.get('/api/tools', token);
    expect(tools.json).toEqual([created.json]);

    expect(await server.stop()).toBe(0);
    await server.start();

    const again = await client.get('/api/tools', token);
    expect(again.status).toBe(200);
    expect(again.json).toEqual([created.json]);
    const next = await client.post('/api/tools', { name: 'Rake' }, token);
    expect(numberAt(next.json, 'id')).toBeGreaterThan(id);
    expect((await client.post('/api/tokens', { user: { email, password } })).status).toBe(200);
  });

  it('refuses a second server on the same folder, and continues', async () => {
    const second = await server.run(['serve'], { PORT: String(await freePort()) });
    expect(second.code).not.toBe(0);
    expect(second.output).toContain(server.dataDir);
    expect((await server.client.get('/api/public_key')).status).toBe(200);
  });
});

/** The blocks of README and of the first steps by their beginnings, with the output of each. `runs` continues until the end. */
const steps = [
  { begins: 'npm ci && npm start', runs: /ready/i },
  { begins: 'npm run potager -- robot', runs: /Connected as device_1\./ },
  { begins: 'npm run potager -- backup ~', prints: /potager\.tar/ },
  { begins: 'npm ci && npm test', prints: /npm ci\nnpm test/ },
  { begins: 'mkdir -p garden', prints: /"message":/ },
  { begins: 'TOKEN=', prints: /^/ },
  { begins: 'curl $API/tools', prints: /\[\{"id":1,.*"Watering nozzle".*\n.*\[\{"id":1,.*"Tomato"/ },
  { begins: 'curl $API/device/seed', prints: /Find Home/ },
  { begins: 'curl $API/device/sync', prints: /\{"devices":\[\[2,/ },
  { begins: 'PROGRAM=', prints: /say "Good morning, garden.*\n.*wait 500 ms/ },
  { begins: 'echo "$PROGRAM"', prints: /No problems in 2 steps/ },
  { begins: 'curl -s "http', prints: /"attachment_processed_at":"20/ },
  { begins: 'curl -X PUT $API/virtual_robot', prints: /"status":"ok".*"x":400,"y":300/s },
  { begins: 'npm run potager -- robot', runs: /Connected as device_2\./ },
  { begins: 'cat > garden/move.mjs', prints: /Moved to \(200, 100, -50\)\./ },
  { begins: 'curl "$API/export_data', prints: /"ok":true/ },
  { begins: 'npm run potager -- doctor', prints: /ok {4}database/ },
];

const installations = [
  ['a clone', cloned],
  ['the package of a release', released],
] as const;
/** One of the installations: .ci/on-node uses the package of a release in another way. */
const { INSTALLATION } = process.env;
const chosen = installations.filter(([name]) => INSTALLATION === undefined || name === INSTALLATION);

describe.each(chosen)('the commands of README and of the first steps, with %s', (_name, install) => {
  it('work when they are pasted in order', async () => {
    const blocks = ['README.md', 'docs/first-steps.md'].flatMap(shellBlocks);
    expect(blocks.map((block, index) => block.slice(0, steps[index]?.begins.length))).toEqual(
      steps.map(({ begins }) => begins),
    );
    const { folder, env, commands, remove } = await install();
    const port = await freePort();
    // The input of a user when the virtual robot asks for it.
    const POTAGER_ROBOT_PASSWORD = 'a-long-password';
    const options = { folder, env: { ...env, PORT: String(port), POTAGER_ROBOT_PASSWORD } };
    const terminals: Terminal[] = [];
    const open = (): Terminal => {
      const terminal = new Terminal(options);
      terminals.push(terminal);
      return terminal;
    };
    const client = new HttpClient(`http://127.0.0.1:${port}`);
    try {
      const shell = open();
      for (const [index, { begins, runs, prints }] of steps.entries()) {
        const block = commands(blocks[index] ?? '').replaceAll('localhost:3000', `localhost:${port}`);
        if (runs && begins.includes('robot')) {
          if (index < 2) await signUpInBrowser(client);
          await open().start(`${block.trim()} --server http://localhost:${port}`, runs);
        } else if (runs) await open().start(block, runs);
        else if (block !== '') await pasteUntil(shell, block, prints);
      }
    } finally {
      client.close();
      for (const terminal of terminals.reverse()) await terminal.close();
      await remove();
    }
  });
});

/** Creates the account that README has a user create in the browser. */
async function signUpInBrowser(client: HttpClient): Promise<void> {
  const password = 'a-long-password';
  const registration = { name: 'Ada', email: 'ada@example.com', password, password_confirmation: password };
  expect((await client.post('/api/users', registration)).status).toBe(200);
}

/** Pastes a block. The part after a pause is repeated until it prints the expected text: the machine may be busy. */
async function pasteUntil(shell: Terminal, block: string, expected: RegExp): Promise<void> {
  const [beginning = '', end] = block.split(/^sleep \d+\n/m);
  const printed = await shell.paste(beginning);
  if (end === undefined) expect(printed).toMatch(expected);
  else await expect.poll(async () => printed + (await shell.paste(end))).toMatch(expected);
}
