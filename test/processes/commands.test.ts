import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { signIn, uniqueEmail } from '../support/accounts.ts';
import { describeEngines } from '../support/engines.ts';
import { freePort } from '../support/free-port.ts';
import { prepareServer, type ServerProcess } from '../support/servers.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

describeEngines('the commands', (engine) => {
  let server: ServerProcess;
  beforeAll(async () => {
    server = await prepareServer(engine);
  });
  afterAll(() => server.remove());

  it('migrate migrates the database, once', async () => {
    const first = await server.run(['migrate']);
    expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/^applied .+$/m) });
    expect(await server.run(['migrate'])).toMatchObject({ code: 0, stdout: 'The database is up to date.\n' });
  });

  it('user creates accounts, lists them, and resets passwords while the server runs', async () => {
    const email = uniqueEmail('command');
    const password = 'password123';
    const created = await server.run(['user', 'create', email.toUpperCase(), '--name', 'Ada'], {}, `${password}\n`);
    expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Created user \d+: /) });
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
      ['id', 'device', 'confirmed', 'email', 'name', 'admin'],
      [String(userId), String(deviceId), 'yes', email, 'Ada', 'yes'],
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

  it('user quota shows the usage of an account, and changes its limits', async () => {
    const email = uniqueEmail('quota');
    const password = 'password123';
    await server.run(['user', 'create', email, '--password', password]);
    const table = (changed: Record<string, string> = {}) => {
      const limits = {
        photo_bytes: '2147483648',
        photos: '20000',
        tokens: '1000',
        webhooks: '10',
        personal_tokens: '100',
        published_bytes: '52428800',
        history_bytes: '209715200',
        uploads_in_flight: '20',
        imports_in_flight: '1',
        commands_in_flight: '10',
        exports_per_hour: '30',
        ...changed,
      };
      const lines = Object.entries(limits).map(([name, limit]) => `${name}\t0\t${limit}\n`);
      return { code: 0, output: `quota\tused\tlimit\n${lines.join('')}` };
    };
    // The creation of the account is a change.
    const quota = async (...options: string[]) => {
      const { output, ...result } = await server.run(['user', 'quota', email, ...options]);
      return { ...result, output: output.replace(/(?<=history_bytes\t)\d+/, '0') };
    };
    expect(await quota()).toMatchObject(table());
    const changed = table({ photos: '7', photo_bytes: '0' });
    expect(await quota('--photos', '7', '--photo-bytes', '0')).toMatchObject(changed);
    expect(await quota()).toMatchObject(changed);
    expect(await quota('--photos', 'default')).toMatchObject(table({ photo_bytes: '0' }));
    const token = await signIn(server.client, 'Quota', email, password);
    const usage = await server.client.get('/api/usage', token.token);
    expect(usage.json).toMatchObject({ photo_bytes: { used: 0, limit: 0 }, photos: { limit: 20_000 } });
    for (const bad of ['-1', '1.5', 'many', '', '9999999999999999'])
      expect(await quota('--photos', bad), bad).toMatchObject({ code: 2, output: expect.stringContaining('--photos') });
    expect(await quota('--cats', '1')).toMatchObject({ code: 2, output: expect.stringContaining('--cats') });
    const unknown = await server.run(['user', 'quota', 'nobody@example.com', '--photos', '7']);
    expect(unknown).toMatchObject({ code: 1, output: expect.stringContaining('nobody@example.com') });
  });

  it('serve is refused while another server runs', async () => {
    const second = await server.run(['serve'], { PORT: String(await freePort()) });
    expect(second).toMatchObject({ code: 1, output: expect.stringContaining(server.dataDir) });
    const samePort = await server.run(['serve'], { DATA_DIR: join(server.folder, 'second') });
    expect(samePort).toMatchObject({ code: 1, output: expect.stringContaining('PORT') });
    expect((await server.client.get('/api/public_key')).status).toBe(200);
  });

  it('doctor reports its results, good and bad', async () => {
    const well = await server.run(['doctor']);
    expect(well.code).toBe(0);
    const lines = well.stdout.trimEnd().split('\n');
    // The limit of open files depends on the machine, and whether a time server sets its clock.
    const checks = lines.map((line) => /^(?:ok {4}|note {2}(?=open files))([\w ]+)/.exec(line)?.[1]);
    expect(checks.filter((name) => name !== undefined)).toEqual([
      'settings',
      'data folder',
      'free space',
      'native modules',
      ...(engine === 'sqlite' ? ['key'] : []),
      'database',
      'clock',
      'jobs',
      'quotas',
      'mail',
      'broker',
      'open files',
      'port',
      'proxy',
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
    const refused = await server.run(['nonsense']);
    expect(refused).toEqual({ code: 2, stdout: '', output: "error: unknown command 'nonsense'\n" });
  });

  it('prints the OpenAPI document', async () => {
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

  it('reports every invalid setting, without secrets, and does nothing', async () => {
    const wrong = {
      PORT: 'many',
      RATE_LIMITS: 'maybe',
      SMTP_URL: 'http://ada:s3cret@mail.example',
      DATABASE_URL: 'mysql://ada:s3cret@db.example/potager',
      LOG_LEVEL: 'loud',
    };
    for (const words of [['doctor'], ['serve'], ['migrate'], ['user', 'list']]) {
      const { code, stdout, output } = await server.run(words, wrong);
      expect([words, code, stdout]).toEqual([words, 2, '']);
      for (const name of Object.keys(wrong)) expect(output).toMatch(new RegExp(`^${name} must be `, 'm'));
      expect(output).not.toContain('s3cret');
      expect(output).not.toMatch(/^ +at /m);
    }
  });

  it('creates no database in a mistyped data folder', async () => {
    const folder = join(server.folder, 'mistyped');
    const { code, output } = await server.run(['user', 'list', '--data-dir', folder]);
    expect(output).toContain(`DATA_DIR: there is no database in ${folder}. Start the server once, or name its folder`);
    expect(code).toBe(1);
    expect(existsSync(join(folder, 'potager.sqlite'))).toBe(false);
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
      await expectRefused(
        { DATABASE_URL },
        /DATABASE_URL: PostgreSQL at 127\.0\.0\.1:\d+ does not respond \(ECONNREFUSED\)\. Start it, or correct the URL\./,
      );
    });

    it('reports the objections of PostgreSQL', async () => {
      const other = await prepareServer('postgres');
      const wrong = (change: (url: URL) => void): Record<string, string> => {
        const url = new URL(other.env.DATABASE_URL ?? '');
        change(url);
        return { DATABASE_URL: url.href };
      };
      const password = wrong((url) => {
        url.password = 's3cret';
      });
      await expectRefused(password, /DATABASE_URL: password authentication failed for user "postgres"\. Correct/);
      const none = wrong((url) => {
        url.pathname = '/nowhere';
      });
      await expectRefused(none, /DATABASE_URL: database "nowhere" does not exist\. Create it with createdb, or/);
      const encrypted = wrong((url) => {
        url.searchParams.set('sslmode', 'require');
      });
      await expectRefused(
        encrypted,
        /DATABASE_URL: PostgreSQL at 127\.0\.0\.1:\d+ has no TLS\. Enable it there, or remove/,
      );
      const certificate = wrong((url) => {
        url.searchParams.set('sslrootcert', '/nowhere/ca.pem');
      });
      await expectRefused(certificate, /DATABASE_URL: ENOENT: .*'\/nowhere\/ca\.pem'\. Correct the file in the URL\./);
      await other.remove();
    });
  });

  it('user and token act on one account, and ask before they delete it', async () => {
    const email = 'ada@example.com';
    const user = (...words: string[]) => server.run(['user', ...words]);
    const token = (...words: string[]) => server.run(['token', ...words]);
    const list = async (...words: string[]) => JSON.parse((await server.run([...words, '--json'])).stdout);
    expect(await user('create', email, '--password', 'password123')).toMatchObject({ code: 0 });
    const created = await token('create', email, '--set', 'PUBLIC_URL=https://garden.example');
    expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\S+\n$/) });
    expect(created.output).toMatch(/^The token is valid until \S+Z at garden\.example:443\. It is not shown again\.$/m);
    await server.start();
    const status = async () => (await server.client.get('/api/device', created.stdout.trim())).status;
    expect(await status()).toBe(200);
    const [listed] = await list('token', 'list', email);
    expect(listed).toEqual({
      id: expect.any(Number),
      jti: expect.stringMatching(/^[0-9a-f]{8}$/),
      kind: 'person',
      created: expect.any(String),
      used: '-',
      expires: expect.any(String),
    });
    // Buffers in memory are written on stop.
    await server.restart();
    expect((await list('token', 'list', email))[0].used).toMatch(/^\d{4}-/);
    expect(await token('revoke', email)).toMatchObject({ code: 2, output: 'Give the id of a token, or --all.\n' });
    expect(await token('revoke', email, '999')).toMatchObject({ code: 1, output: `${email} has no token 999.\n` });
    expect(await token('revoke', email, String(listed.id))).toMatchObject({
      code: 0,
      output: `Revoked 1 token of ${email}.\n`,
    });
    expect(await status()).toBe(401);

    expect(await user('admin', email, 'on')).toMatchObject({
      code: 0,
      output: `${email} is an administrator of this server.\n`,
    });
    expect(await user('admin', email, 'maybe')).toMatchObject({ code: 2 });
    expect(await user('confirm', email)).toMatchObject({ output: `The address ${email} was confirmed already.\n` });
    const target = 'ada@garden.example';
    expect(await user('email', email, target)).toMatchObject({
      output: `Changed the address ${email} to ${target}.\n`,
    });
    expect(await list('user', 'list')).toEqual([
      { id: 1, device: 1, confirmed: true, email: target, name: 'ada', admin: true },
    ]);
    expect(await user('confirm', email)).toMatchObject({ code: 1, output: `No user has the address ${email}.\n` });

    for (const answer of ['', 'yes\n', `${email}\n`]) {
      const kept = await server.run(['user', 'delete', target], {}, answer);
      expect(kept).toMatchObject({
        code: 1,
        stdout: '',
        output: expect.stringMatching(/Nothing was (done|deleted)\.\n$/),
      });
    }
    const deleted = await server.run(['user', 'delete', target], {}, `${target}\n`);
    expect(deleted).toMatchObject({ code: 0, stdout: `Deleted the account ${target}.\n` });
    expect(await list('user', 'list')).toEqual([]);
    expect(await user('delete', target, '--yes')).toMatchObject({ code: 1 });
  });

  it('doctor changes nothing', async () => {
    expect(await server.run(['doctor'])).toMatchObject({ code: 0 });
    expect(await readdir(server.folder)).toEqual([]);
  });
});
