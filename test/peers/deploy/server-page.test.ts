import { execFile, execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signUp } from '../../support/accounts.ts';
import { freePort } from '../../support/free-port.ts';
import { textAt } from '../../support/json.ts';
import { codeBlocks, shellBlocks } from '../../support/pasted-blocks.ts';
import { cheapPasswords, createTempFolder, ServerProcess } from '../../support/servers.ts';
import { suiteFixture } from '../../support/suite-fixture.ts';
import { parseSettings, repository, rewrite } from './deployed-files.ts';
import { ProxyServer } from './proxy-server.ts';

const page = 'docs/server.md';

describe('the commands of the page about servers', () => {
  let root: string;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'potager-steps-'));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it('overwrite no file when they are repeated', () => {
    const put = (path: string, text: string) => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    };
    const authority = 'var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt';
    put(authority, 'the authority');
    put('etc/caddy/Caddyfile', ':80 {\n}\n');
    for (const folder of ['etc/systemd/system', 'etc/nginx/conf.d', 'etc/cron.d', 'mnt/usb'])
      mkdirSync(join(root, folder), { recursive: true });
    cpSync(join(repository, 'deploy'), join(root, 'modules/potager/deploy'), { recursive: true });
    // What changes the machine is only named; files are written below a folder.
    put('bin/sudo', '#!/bin/sh\nif [ "$1" = -u ]; then shift 2; fi\nexec "$@"\n');
    put('bin/npm', `#!/bin/sh\n[ "$1" = root ] && echo '${root}/modules'\nexit 0\n`);
    for (const name of ['useradd', 'chgrp', 'certbot', 'systemctl', 'journalctl', 'potager', 'nvm'])
      put(`bin/${name}`, '#!/bin/sh\n');
    for (const name of readdirSync(join(root, 'bin'))) chmodSync(join(root, 'bin', name), 0o755);

    const own = `-o ${process.getuid?.()} -g ${process.getgid?.()}`;
    const blocks = shellBlocks(page).filter((block) => !block.includes('nvm'));
    const commands = blocks
      .join('\n')
      .replaceAll(/(?<=[\s"'])\/(?=etc\/|var\/|mnt\/)/g, `${root}/`)
      .replaceAll('-o potager -g potager', own)
      .replaceAll('-g potager', own);
    const run = () =>
      execFileSync('bash', ['--norc', '-euc', commands], {
        cwd: root,
        env: { PATH: `${root}/bin:/usr/bin:/bin`, HOME: root },
        stdio: 'pipe',
      });
    const written = () =>
      ['etc', 'mnt'].flatMap((folder) =>
        readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name)),
      );
    run();
    const files = written();
    expect(files.map((file) => file.slice(root.length)).sort()).toEqual([
      '/etc/caddy/Caddyfile',
      '/etc/caddy/potager.caddyfile',
      '/etc/cron.d/potager',
      '/etc/nginx/conf.d/potager.conf',
      '/etc/potager/potager.env',
      '/etc/systemd/system/potager-certificate.service',
      '/etc/systemd/system/potager-certificate.timer',
      '/etc/systemd/system/potager.service',
    ]);
    expect(readFileSync(join(root, 'root.crt'), 'utf8')).toBe('the authority');
    for (const file of files) appendFileSync(file, '# mine\n');
    const before = files.map((file) => readFileSync(file, 'utf8'));
    run();
    expect(written()).toEqual(files);
    expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(before);
  });
});

/** Signs in at the address in BASE, and connects to the broker that the token names. */
const client = `
  import mqtt from 'mqtt';
  const { BASE, USER } = process.env;
  const response = await fetch(BASE + '/api/tokens', { method: 'POST', body: USER });
  const { token: { encoded, unencoded: { bot, mqtt_ws } } } = await response.json();
  const connected = await mqtt.connectAsync(mqtt_ws, { username: bot, password: encoded });
  await connected.endAsync();
  console.log(mqtt_ws);
`;

describe('an authority of your own, as the page about servers describes it', () => {
  const installation = suiteFixture(
    async () => {
      const port = await freePort();
      const [block = ''] = codeBlocks(page, 'caddy');
      const site = rewrite(block, { 'raspberrypi.local': 'localhost', '127.0.0.1:3000': `127.0.0.1:${port}` });
      const proxy = await ProxyServer.caddyFor('localhost', site);
      const [setting = ''] = /echo (TRUST_PROXY=\S+) /.exec(shellBlocks(page).join('\n'))?.slice(1) ?? [];
      const settings = { ...parseSettings(setting), MQTT_PORT: String(await freePort()) };
      const server = new ServerProcess(await createTempFolder(), port, settings, cheapPasswords);
      await server.start();
      return { proxy, server, account: await signUp({ client: server.client, outbox: null }, 'ada') };
    },
    async ({ proxy, server }) => {
      await proxy.stop();
      await server.remove();
    },
  );
  /** Runs a program with these variables, and returns its exit code and output. */
  const run = (program: string, words: readonly string[], env: Record<string, string> = {}) =>
    promisify(execFile)(program, words, { cwd: repository, env: { PATH: process.env.PATH ?? '', ...env } }).then(
      ({ stdout }) => ({ code: 0, output: stdout.trim() }),
      (error) => ({ code: Number(error.code), output: String(error.stderr) }),
    );

  it('is refused by scripts that do not trust it, and trusted with the variables on the page', async () => {
    const { proxy, server, account } = installation;
    const base = `https://localhost:${proxy.ports.https}`;
    const { authority } = proxy.files;
    const curl = ['--silent', '--show-error', '--output', '/dev/null', '--write-out', '%{http_code}', `${base}/ready`];
    expect((await run('curl', curl)).code).toBe(60);
    expect(await run('curl', ['--cacert', authority, ...curl])).toEqual({ code: 0, output: '200' });

    const python = ['-c', `import urllib.request as r; print(r.urlopen("${base}/ready").status)`];
    expect((await run('python3', python)).output).toContain('CERTIFICATE_VERIFY_FAILED');
    expect(await run('python3', python, { SSL_CERT_FILE: authority })).toEqual({ code: 0, output: '200' });

    const { email, password } = account;
    const variables = { BASE: base, USER: JSON.stringify({ user: { email, password } }) };
    const node = ['--input-type=module', '--eval', client];
    expect((await run(process.execPath, node, variables)).output).toContain('UNABLE_TO_GET_ISSUER_CERT_LOCALLY');
    expect(await run(process.execPath, node, { ...variables, NODE_EXTRA_CA_CERTS: authority })).toEqual({
      code: 0,
      output: `wss://localhost:${proxy.ports.https}/ws`,
    });

    // A robot beside them, which knows no authority.
    const session = await server.client.post('/api/tokens', { user: { email, password } });
    expect(textAt(session.json, 'token.unencoded.iss')).toBe(`//127.0.0.1:${server.port}`);
    expect(textAt(session.json, 'token.unencoded.mqtt_ws')).toBe(`ws://127.0.0.1:${server.port}/ws`);
  });
});
