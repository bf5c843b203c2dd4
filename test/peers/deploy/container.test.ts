import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { suiteFixture } from '../../support/suite-fixture.ts';
import { BuiltImage, ignoredPaths } from './built-image.ts';
import { repository } from './deployed-files.ts';

const file = (name: string): string => readFileSync(join(repository, name), 'utf8');

describe(`the image, built from the instructions of the Containerfile on ${process.arch} only`, () => {
  const image = suiteFixture(
    () => BuiltImage.build(),
    (built) => built.remove(),
  );
  /** Runs a script of Node.js in the container. */
  const script = (text: string) => image.run(['node', '--input-type=module', '-e', text]);

  beforeAll(async () => {
    // Nothing runs yet.
    expect((await image.checkHealth()).code).toBe(1);
    await image.start();
  });

  it('serves as a user without rights, with its data in the volume', async () => {
    const status = readFileSync(`/proc/${image.mainProcess()}/status`, 'utf8');
    expect(status).toMatch(/^CapEff:\t0+$/m);
    const { output } = await script(`
      import { readdirSync, statSync } from 'node:fs';
      const { uid, mode } = statSync('/data');
      console.log(JSON.stringify([process.getuid() === uid, uid > 0, (mode & 0o777).toString(8), readdirSync('/data').sort()]));`);
    expect(JSON.parse(output)).toEqual([true, true, '700', expect.arrayContaining(['keys', 'potager.sqlite'])]);
  });

  it('listens on the ports that it exposes', async () => {
    expect(image.ports).toEqual([3000, 1883, 8883]);
    const { output } = await script(`
      import { connect } from 'node:net';
      for (const port of [${image.ports}])
        console.log(await new Promise((settle) => {
          const socket = connect(port, '127.0.0.1', () => settle('open')).on('error', () => settle('closed'));
        }));
      process.exit();`);
    // The last one needs a certificate.
    expect(output).toBe('open\nopen\nclosed\n');
  });

  it('knows that it is in a container', async () => {
    const { output } = await script(`
      const server = await fetch('http://localhost:3000/api/server');
      console.log(await server.text());`);
    expect(output).toContain('"robot_address":null');
    expect(image.logs()).toContain('"robotAddress":null');
  });

  it('has the commands, and stops on SIGTERM without losing data', async () => {
    const created = await image.run([
      'sh',
      '-c',
      'echo a-long-password | potager user create ada@example.com --name Ada',
    ]);
    expect(created).toMatchObject({ code: 0 });
    expect(await image.stop()).toBe(0);
    expect(image.logs()).toContain('"msg":"stopped"');
    await image.start();
    const { output } = await script(`
      const body = JSON.stringify({ user: { email: 'ada@example.com', password: 'a-long-password' } });
      console.log((await fetch('http://localhost:3000/api/tokens', { method: 'POST', body })).status);`);
    expect(output).toBe('200\n');
  });
});

it('keeps secrets, data and older packages out of the build', () => {
  const unversioned = file('.gitignore').split('\n').filter(Boolean);
  const ignored = new Set(ignoredPaths().map((path) => path.replace(/^\*\*\//, '')));
  // Of several packages, an older one may be installed.
  for (const path of [...unversioned, '.git', '.env', '*.tgz']) expect(ignored).toContain(path.replace(/^\/|\/$/g, ''));
});

it('has every native package for amd64 and arm64', () => {
  const { packages } = JSON.parse(file('npm-shrinkwrap.json')) as { packages: Record<string, { dev?: boolean }> };
  const names = Object.keys(packages).filter((name) => !packages[name]?.dev);
  const native = names.filter((name) => /linux-?x64(-gnu)?$/.test(name));
  expect(native).not.toEqual([]);
  for (const name of native) expect(names).toContain(name.replace('x64', 'arm64'));
});

describe('compose.yaml', () => {
  const config = (env: Record<string, string> = {}) =>
    execFileSync('docker-compose', ['-f', 'compose.yaml', 'config'], {
      cwd: repository,
      env: { PATH: process.env.PATH ?? '', ...env },
      encoding: 'utf8',
    });

  it('is one service that needs no setting', () => {
    expect(config()).toBe(`services:
  potager:
    build:
      context: ${repository}
      dockerfile: Containerfile
    environment:
      PUBLIC_URL: ''
    image: potager
    ports:
    - published: 3000
      target: 3000
    - published: 1883
      target: 1883
    restart: unless-stopped
    stop_grace_period: 15s
    volumes:
    - data:/data:rw
version: '3.9'
volumes:
  data: {}

`);
    expect(config({ PUBLIC_URL: 'http://192.168.1.20:3000' })).toContain('PUBLIC_URL: http://192.168.1.20:3000');
  });
});
