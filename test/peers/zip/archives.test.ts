import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { fixture, sendImport } from '../../support/account-transfer.ts';
import { suiteApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import { picture } from '../../support/pictures.ts';

// Archives of an export that people unpacked and made again with Debian's zip.

describeEngines('an archive made again', (engine) => {
  const server = suiteApp(engine);
  const folder = mkdtempSync(join(tmpdir(), 'potager-zip-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const image = (fixture('plain').images as { id: number }[])[0];
  const files = async (root: string) => ({
    [`${root}export.json`]: Buffer.from(JSON.stringify(fixture('plain'))),
    [`${root}photos/${image?.id}.jpg`]: await picture(64, 48),
  });

  /** Runs zip in a new folder with these files; it writes to a pipe if the name of the archive is a hyphen. */
  function zipped(contents: Readonly<Record<string, Buffer>>, ...options: string[]): Buffer {
    const from = mkdtempSync(join(folder, 'files-'));
    for (const [name, bytes] of Object.entries(contents)) {
      mkdirSync(join(from, dirname(name)), { recursive: true });
      writeFileSync(join(from, name), bytes);
    }
    return execFileSync('/usr/bin/zip', ['--quiet', '--recurse-paths', ...options, '-', '.'], { cwd: from });
  }

  it.each([
    ['with a folder around it', 'My garden/', {}, []],
    ['with two folders around it', 'Downloads/Été 2026/', {}, []],
    ['without folders of its own', '', {}, ['--no-dir-entries']],
    [
      'with the files of macOS and Windows',
      'export/',
      {
        '__MACOSX/export/._export.json': Buffer.from('\0\x05\x16\x07'),
        '__MACOSX/export/photos/._900.jpg': Buffer.from('\0\x05\x16\x07'),
        'export/.DS_Store': Buffer.from('\0\0\0\x01Bud1'),
        'export/photos/Thumbs.db': Buffer.from('x'),
        'export/desktop.ini': Buffer.from('[.ShellClassInfo]'),
      },
      [],
    ],
  ] as const)('is imported %s, through a pipe', async (_how, root, others, options) => {
    const account = await server.signUp();
    const archive = zipped({ ...(await files(root)), ...others }, ...options);
    // The sizes of a file follow it: bit 3 of its flags, also where a folder comes first.
    const last = archive.lastIndexOf(Buffer.from('PK\x01\x02', 'latin1'));
    expect(archive.readUInt16LE(last + 8) & 8).toBe(8);
    const { status, json } = await sendImport(server, account, archive);
    expect([status, json.taken?.images, json.problems], JSON.stringify(json)).toEqual([200, 1, []]);
  });

  it.each([
    ['export/notes.txt', 'The archive contains export/notes.txt, which is not part of an export.'],
    ['photos/1.jpg', 'The archive contains photos/1.jpg, which is not part of an export.'],
  ])('names the file that is not part of it: %s', async (name, error) => {
    const account = await server.signUp();
    const archive = zipped({ ...(await files('export/')), [name]: Buffer.from('x') });
    const { status, json } = await sendImport(server, account, archive);
    expect([status, json]).toEqual([422, { error }]);
  });
});
