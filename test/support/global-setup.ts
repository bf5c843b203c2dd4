import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { fillTemplate, templateDatabase } from './database-template.ts';
import { PostgresCluster, removeAbandonedClusters } from './postgres-cluster.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The URL of the PostgreSQL server, without a database. */
    postgresServer: string;
    /** A data folder with a migrated SQLite database and a key pair; tests copy it. */
    sqliteTemplate: string;
  }
}

let cluster: PostgresCluster | null = null;
const { TMPDIR } = process.env;

/** Starts a PostgreSQL server for all test files of a run, creates the templates of both engines, and moves the temporary folder to a memory disk. */
export async function setup(project: TestProject): Promise<void> {
  await removeAbandonedClusters();
  cluster = await PostgresCluster.start();
  project.provide('postgresServer', cluster.server);
  const url = await cluster.createDatabase(templateDatabase);
  const template = join(cluster.folder, 'template');
  await mkdir(template);
  await Promise.all([fillTemplate(url, template), fillTemplate(null, template)]);
  project.provide('sqliteTemplate', template);
  // Inherited by the workers: SQLite flushes each commit, which took most of the time of tests with many.
  process.env.TMPDIR = join(cluster.folder, 'tmp');
  await mkdir(process.env.TMPDIR);
}

/** Stops PostgreSQL and removes its files. */
export async function teardown(): Promise<void> {
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
  await cluster?.remove();
}
