import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { prepareServer, type ServerProcess } from '../support/servers.ts';

const script = `
  import { Readable } from 'node:stream';
  import { writeDurableFile } from ${JSON.stringify(resolve(import.meta.dirname, '../../dist/durable-file.js'))};
  async function* content() {
    yield 'the beginning';
    console.log('written');
    await new Promise((end) => setTimeout(end, 60_000));
  }
  await writeDurableFile(process.argv[1], Readable.from(content()));
`;

let server: ServerProcess;
const writers: ChildProcess[] = [];
beforeEach(async () => {
  server = await prepareServer('sqlite');
  for (const folder of ['outbox', 'keys']) await mkdir(join(server.dataDir, folder), { recursive: true });
});
afterEach(async () => {
  for (const writer of writers.splice(0)) writer.kill('SIGKILL');
  await server.remove();
});

/** Starts a process that writes a file and never finishes. */
async function startWriter(path: string): Promise<ChildProcess> {
  const writer = spawn(process.execPath, ['--input-type=module', '-e', script, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  writers.push(writer);
  await once(writer.stdout, 'data');
  return writer;
}

async function startAndKillWriter(path: string): Promise<void> {
  const writer = await startWriter(path);
  writer.kill('SIGKILL');
  await once(writer, 'close');
}

const filesOf = async (folder: string) => (await readdir(folder)).filter((name) => name.startsWith('x.'));

it('the server deletes files that killed processes left, and nothing of processes that run beside it', async () => {
  const [outbox, keys] = [join(server.dataDir, 'outbox'), join(server.dataDir, 'keys')];
  for (const folder of [server.dataDir, outbox, keys]) await startAndKillWriter(join(folder, 'x.killed'));
  await startWriter(join(outbox, 'x.running'));
  expect(await filesOf(outbox)).toHaveLength(2);
  expect(await filesOf(keys)).toEqual([expect.stringMatching(/^x\.killed\..+\.partial$/)]);
  await server.start();
  expect(await filesOf(outbox)).toEqual([expect.stringMatching(/^x\.running\..+\.partial$/)]);
  expect(await filesOf(keys)).toEqual([]);
  expect(await filesOf(server.dataDir)).toEqual([]);
});

it('a backup deletes files that a killed backup left next to it', async () => {
  expect(await server.run(['migrate'])).toMatchObject({ code: 0 });
  await startAndKillWriter(join(server.folder, 'x.monday.tar'));
  // A process deletes files older than itself.
  expect(await server.runAlone(['backup', 'x.tuesday.tar'])).toMatchObject({ code: 0 });
  expect(await filesOf(server.folder)).toEqual(['x.tuesday.tar']);
});
