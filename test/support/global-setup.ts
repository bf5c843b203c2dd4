import { once } from 'node:events';
import { chmod, mkdir, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { fillTemplate, templateDatabase } from './database-template.ts';
import type { Engine } from './engines.ts';
import { PostgresCluster, removeAbandonedRuns } from './postgres-cluster.ts';
import { createRunFolder } from './run-folder.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The address at which tests ask for the template of an engine. */
    templates: string;
  }
}

const { TMPDIR } = process.env;
let folder: string;
let cluster: PostgresCluster | null = null;
const templates = new Map<string, Promise<string>>();

const make: Record<Engine, () => Promise<string>> = {
  async sqlite() {
    const template = join(folder, 'template');
    await mkdir(template);
    await fillTemplate(null, template);
    return template;
  },
  async postgres() {
    cluster = await PostgresCluster.start();
    await fillTemplate(await cluster.createDatabase(templateDatabase), folder);
    return cluster.server;
  },
};

/** Makes the template of an engine for the first test that asks. */
function answer({ url = '' }: IncomingMessage, response: ServerResponse): void {
  const template = templates.get(url) ?? make[url.slice(1) as Engine]();
  templates.set(url, template);
  template.then(
    (place) => response.end(place),
    (error) => response.writeHead(500).end(String(error instanceof Error ? error.stack : error)),
  );
}
const server = createServer(answer);

/** Moves the temporary folder to a memory disk, and offers a template of each engine; PostgreSQL starts when a test needs it. */
export async function setup(project: TestProject): Promise<void> {
  await removeAbandonedRuns();
  folder = await createRunFolder();
  // For root, PostgreSQL runs as a user of its own, who reads files of tests.
  await chmod(folder, 0o755);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  project.provide('templates', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  // Inherited by the workers: SQLite flushes each commit, which took most of the time of tests with many.
  process.env.TMPDIR = join(folder, 'tmp');
  await mkdir(process.env.TMPDIR);
}

/** Stops PostgreSQL and removes the files of the run. */
export async function teardown(): Promise<void> {
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
  server.close();
  server.closeAllConnections();
  await Promise.allSettled(templates.values());
  await cluster?.remove();
  await rm(folder, { recursive: true, force: true });
}
