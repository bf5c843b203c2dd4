import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { prepareServer, type ServerProcess } from '../../support/servers.ts';

let server: ServerProcess | null = null;

afterEach(async () => {
  await server?.remove();
  server = null;
});

/** Has a running server fail by a script, and returns its exit code, its log and its standard error. `output`: the file of its log. */
async function failingServer(script: string, level: string, output?: string) {
  const preloaded = `data:text/javascript,${encodeURIComponent(`process.on('SIGUSR2', () => { ${script} })`)}`;
  server = await prepareServer('sqlite', { LOG_LEVEL: level, NODE_OPTIONS: `--import=${preloaded}` });
  const path = output ?? join(server.folder, 'log');
  const file = await open(path, 'w');
  try {
    await server.start(file.fd);
    server.signal('SIGUSR2');
    const code = await server.waitForExit();
    return { code, log: output ? '' : await readFile(path, 'utf8'), stderr: server.logs() };
  } finally {
    await file.close();
  }
}

const unforeseen = /^An unexpected error ends the server:\nError: unforeseen\n {4}at .+\n/;

it('is in the log, and on the standard error with its stack', async () => {
  const { code, log, stderr } = await failingServer("throw new Error('unforeseen')", 'info');
  expect(code).toBe(1);
  expect(stderr).toMatch(unforeseen);
  const lines = log.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line)).at(-1)).toMatchObject({
    level: 60,
    reason: expect.stringMatching(/^Error: unforeseen\n {4}at /),
    msg: 'an unexpected error ends the server',
  });
});

it.each([
  ['fatal', 1],
  ['silent', 0],
])('is on the standard error at LOG_LEVEL=%s, also a rejection', async (level, lines) => {
  const { code, log, stderr } = await failingServer("void Promise.reject(new Error('unforeseen'))", level);
  expect(code).toBe(1);
  expect(stderr).toMatch(unforeseen);
  expect(log.split('\n').slice(0, -1)).toHaveLength(lines);
});

it('shows a thrown value that is no error', async () => {
  const { code, stderr } = await failingServer("throw { code: 'E_UNFORESEEN' }", 'silent');
  expect(code).toBe(1);
  expect(stderr).toBe("An unexpected error ends the server:\n{ code: 'E_UNFORESEEN' }\n");
});

it('is on the standard error while the log cannot be written', async () => {
  const { code, stderr } = await failingServer("throw new Error('unforeseen')", 'info', '/dev/full');
  expect(code).toBe(1);
  expect(stderr).toMatch(unforeseen);
});
