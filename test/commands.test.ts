import { readFileSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { signIn, uniqueEmail } from './support/accounts.ts';
import { describeEngines } from './support/engines.ts';
import { freePort } from './support/free-port.ts';
import { prepareServer, type ServerProcess } from './support/servers.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

describeEngines('the commands', (engine) => {
  let server: ServerProcess;
  beforeAll(async () => {
    server = await prepareServer(engine);
  });
  afterAll(() => server.remove());

  it('migrate migrates the database, once', { timeout: 180_000 }, async () => {
    const first = await server.run(['migrate']);
    expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/^applied .+$/m) });
    expect(await server.run(['migrate'])).toMatchObject({ code: 0, stdout: 'The database is up to date.\n' });
  });

  it('user creates accounts, lists them, and resets passwords while the server runs', {
    timeout: 180_000,
  }, async () => {
    const email = uniqueEmail('command');
    const password = 'password123';
    const made = await server.run(['user', 'create', email.toUpperCase(), '--name', 'Ada'], {}, `${password}\n`);
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Created user \d+: /) });
    const taken = await server.run(['user', 'create', email, '--password', password]);
    expect(taken).toMatchObject({ code: 1, stdout: '' });
    expect(taken.output).toMatch(/^email: .*already registered/m);
    const bad = await server.run(['user', 'create', 'nobody', '--password', 'short']);
    expect(bad).toMatchObject({ code: 1, stdout: '' });
    expect(bad.output).toMatch(/^email: /m);
    expect(bad.output).toMatch(/^password: .*8/m);

    await server.start();
    const { token, userId, deviceId } = await signIn(server.client, 'Ada', email, password);
    expect((await server.client.get('/api/users', token)).json).toMatchObject([{ name: 'Ada', email }]);
    expect((await server.client.get('/api/fbos_config', token)).status).toBe(200);

    const list = await server.run(['user', 'list']);
    expect(list.code).toBe(0);
    expect(
      list.stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t')),
    ).toEqual([
      ['id', 'device', 'confirmed', 'email', 'name'],
      [String(userId), String(deviceId), 'yes', email, 'Ada'],
    ]);

    const changed = await server.run(['user', 'reset-password', email], {}, 'another-one');
    expect(changed).toMatchObject({ code: 0, output: `Changed the password of ${email}.\n` });
    expect((await server.client.get('/api/device', token)).status).toBe(401);
    const old = await server.client.post('/api/tokens', { user: { email, password } });
    expect([old.status, old.json]).toEqual([422, { auth: 'Bad email or password.' }]);
    await signIn(server.client, 'Ada', email, 'another-one');
    const unknown = await server.run(['user', 'reset-password', 'nobody@example.com', '--password', password]);
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(unknown.output).toContain('nobody@example.com');
    const nothing = await server.run(['user', 'create', uniqueEmail('silent')]);
    expect(nothing).toMatchObject({ code: 1, output: expect.stringContaining('No password was given') });
  });

  it('serve is refused while another server runs', { timeout: 180_000 }, async () => {
    const second = await server.run(['serve'], { PORT: String(await freePort()) });
    expect(second).toMatchObject({ code: 1, output: expect.stringContaining(server.dataDir) });
    const samePort = await server.run(['serve'], { DATA_DIR: join(server.folder, 'second') });
    expect(samePort).toMatchObject({ code: 1, output: expect.stringContaining('PORT') });
    expect((await server.client.get('/api/public_key')).status).toBe(200);
  });

  it('doctor reports what is right and what is wrong', { timeout: 180_000 }, async () => {
    const well = await server.run(['doctor']);
    expect(well.code).toBe(0);
    const lines = well.stdout.trimEnd().split('\n');
    expect(lines.map((line) => /^ok {4}([\w ]+)/.exec(line)?.[1])).toEqual([
      'settings',
      'data folder',
      ...(engine === 'sqlite' ? ['key'] : []),
      'database',
      'jobs',
      'quotas',
      'mail',
      'broker',
    ]);
    expect(well.stdout).toContain(engine === 'sqlite' ? 'SQLite responds' : 'PostgreSQL responds');

    const noMail = await server.run(['doctor'], {
      SMTP_URL: `smtp://ada:s3cret@127.0.0.1:${await freePort()}`,
      PUBLIC_ULR: 'http://x',
    });
    expect(noMail.code).toBe(1);
    expect(noMail.stdout).toMatch(/^FAIL {2}mail: .*ECONNREFUSED/m);
    expect(noMail.stdout).toMatch(/^note .*PUBLIC_ULR.*PUBLIC_URL/m);
    expect(noMail.output).not.toContain('s3cret');
  });
});

describe('the command line', () => {
  let server: ServerProcess;
  beforeEach(async () => {
    server = await prepareServer('sqlite');
  });
  afterEach(() => server.remove());

  it('prints its version and its commands', async () => {
    expect(await server.run(['--version'])).toEqual({ code: 0, output: `${version}\n`, stdout: `${version}\n` });
    const help = await server.run(['--help']);
    expect(help.code).toBe(0);
    for (const command of ['serve', 'migrate', 'doctor', 'openapi', 'user'])
      expect(help.stdout).toMatch(new RegExp(`^ {2}${command} `, 'm'));
    const user = await server.run(['user', '--help']);
    expect(user.code).toBe(0);
    for (const command of ['create', 'list', 'reset-password'])
      expect(user.stdout).toMatch(new RegExp(`^ {2}${command} `, 'm'));
    for (const wrong of [['nonsense'], ['user', 'nonsense'], ['--nonsense']]) {
      const refused = await server.run(wrong);
      expect([wrong, refused.code, refused.stdout]).toEqual([wrong, 1, '']);
      expect(refused.output).toContain('error: ');
    }
  });

  it('prints the OpenAPI document', { timeout: 180_000 }, async () => {
    const { code, stdout } = await server.run(['openapi']);
    expect(code).toBe(0);
    const described = JSON.parse(stdout) as {
      openapi: string;
      info: { version: string };
      paths: Record<string, unknown>;
    };
    expect(described.openapi).toMatch(/^3\.1\.\d+$/);
    expect(described.info.version).toBe(version);
    expect(Object.keys(described.paths)).toEqual(
      expect.arrayContaining(['/api/tokens', '/api/points/{id}', '/api/device/sync']),
    );
    await server.start();
    expect((await server.client.get('/api/openapi.json')).json).toEqual(described);
  });

  it('reports every invalid setting, without secrets, and does nothing', { timeout: 180_000 }, async () => {
    const wrong = {
      PORT: 'many',
      RATE_LIMITS: 'maybe',
      SMTP_URL: 'http://ada:s3cret@mail.example',
      DATABASE_URL: 'mysql://ada:s3cret@db.example/potager',
      LOG_LEVEL: 'loud',
    };
    for (const words of [['doctor'], ['serve'], ['migrate'], ['user', 'list']]) {
      const { code, stdout, output } = await server.run(words, wrong);
      expect([words, code, stdout]).toEqual([words, 1, '']);
      for (const name of Object.keys(wrong)) expect(output).toMatch(new RegExp(`^${name} must be `, 'm'));
      expect(output).not.toContain('s3cret');
      expect(output).not.toMatch(/^ +at /m);
    }
  });

  describe.each(['serve', 'doctor'])('%s', (command) => {
    /** Expects an error message without a stack and without secrets. */
    async function expectRefused(env: Record<string, string>, sentence: RegExp): Promise<void> {
      const { code, output } = await server.run([command], env);
      expect(output).toMatch(sentence);
      expect(output).not.toMatch(/s3cret|nonsense-in/);
      expect(output).not.toMatch(/^ +at /m);
      expect(code).toBe(1);
    }

    it('reports that the data folder is a file', async () => {
      await writeFile(join(server.folder, 'file'), '');
      await expectRefused({ DATA_DIR: 'file' }, new RegExp(join(server.folder, 'file')));
    });

    it('reports that the key is damaged', async () => {
      await mkdir(join(server.dataDir, 'keys'), { recursive: true });
      await writeFile(join(server.dataDir, 'keys', 'tokens.pem'), 'nonsense-in-the-key-file');
      await expectRefused({}, /key/);
    });

    it('reports that the database does not respond', async () => {
      const DATABASE_URL = `postgres://ada:s3cret@127.0.0.1:${await freePort()}/potager`;
      await expectRefused({ DATABASE_URL }, /database/i);
    });
  });

  it('doctor changes nothing', async () => {
    expect(await server.run(['doctor'])).toMatchObject({ code: 0 });
    expect(await readdir(server.folder)).toEqual([]);
  });
});
