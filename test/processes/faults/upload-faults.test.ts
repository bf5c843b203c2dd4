import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { fixture } from '../../support/account-transfer.ts';
import { signUp } from '../../support/accounts.ts';
import { describeEngines } from '../../support/engines.ts';
import { HttpClient } from '../../support/http-client.ts';
import { textAt } from '../../support/json.ts';
import { solidColorPicture } from '../../support/photo-upload.ts';
import { suiteServer } from '../../support/servers.ts';

const fullDisk = pathToFileURL(resolve(import.meta.dirname, '../../support/full-disk.mjs')).href;

describeEngines('uploads and imports get status 503 and a sentence, and succeed afterwards', (engine) => {
  const server = suiteServer(engine, {
    EMAIL_VERIFICATION: 'off',
    RATE_LIMITS: 'off',
    NODE_OPTIONS: `--import ${fullDisk}`,
  });

  /** Limits the running server like `ulimit`. */
  function limit(resource: string, value: number | 'unlimited'): void {
    const { status, stderr } = spawnSync('prlimit', ['--pid', String(server.pid), `--${resource}=${value}:`]);
    if (status !== 0) throw new Error(String(stderr));
  }
  const folders = () => [join(server.dataDir, 'photos', 'incoming'), join(server.dataDir, 'imports')];
  const received = () => folders().flatMap((folder) => readdirSync(folder).filter((name) => name !== '.full'));
  /** The lowest number that is not an open file's: one more file cannot be opened. */
  function freeDescriptor(): number {
    const open = new Set(readdirSync(`/proc/${server.pid}/fd`).map(Number));
    let number = 0;
    while (open.has(number)) number++;
    return number;
  }

  const faults = {
    'while the disk is full': {
      begin() {
        for (const folder of folders()) writeFileSync(join(folder, '.full'), '');
      },
      end() {
        for (const folder of folders()) rmSync(join(folder, '.full'));
      },
    },
    'while files may not grow': {
      begin: () => limit('fsize', 64),
      end: () => limit('fsize', 'unlimited'),
    },
    'while too many files are open': {
      begin: () => limit('nofile', freeDescriptor()),
      end: () => limit('nofile', 1024),
    },
  };

  for (const [name, { begin, end }] of Object.entries(faults))
    it(name, async () => {
      // A connection that is open already: the server could not accept another one.
      const client = new HttpClient(server.base, 1);
      const { token } = await signUp({ client, outbox: null }, 'ada');
      const picture = await solidColorPicture(90);
      const permission = async () => textAt((await client.get('/api/storage_auth', token)).json, 'form_data.key');
      const upload = (key: string) => {
        const part = (headers: string, content: string | Buffer) =>
          Buffer.concat([
            Buffer.from(`--XX\r\ncontent-disposition: form-data; ${headers}\r\n\r\n`),
            Buffer.from(content),
            Buffer.from('\r\n'),
          ]);
        const file = part('name="file"; filename="x.jpg"', picture);
        const raw = Buffer.concat([part('name="key"', key), file, Buffer.from('--XX--\r\n')]);
        const headers = { 'content-type': 'multipart/form-data; boundary=XX', 'user-agent': 'test' };
        return client.send('POST', '/direct_upload', { raw, headers });
      };
      const importPlain = () =>
        client.send('POST', '/api/import', {
          token,
          raw: JSON.stringify({ ...fixture('plain'), images: [] }),
          headers: { 'user-agent': 'test' },
        });
      for (const folder of folders()) mkdirSync(folder, { recursive: true });
      const key = await permission();
      begin();
      try {
        for (const { status, json } of [await upload(key), await importPlain()])
          expect([status, json]).toEqual([
            503,
            { error: expect.stringMatching(/^The (server cannot use its disk|disk of the server is full)/) },
          ]);
        expect((await client.get('/api/tools', token)).status).toBe(200);
      } finally {
        end();
      }
      expect(received()).toEqual([]);
      const after = [await upload(key), await importPlain()];
      expect(after.map(({ status }) => status)).toEqual([200, 200]);
      client.close();
    });
});
