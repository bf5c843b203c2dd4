import { describe, it } from 'vitest';

/** The database engines that Potager supports. */
export type Engine = 'sqlite' | 'postgres';

export const engines: readonly Engine[] = ['sqlite', 'postgres'];

/** Runs a suite on each engine. */
export function describeEngines(name: string, suite: (engine: Engine) => void): void {
  for (const engine of engines) describe(`${name} (${engine})`, () => suite(engine));
}

/** Like {@link describeEngines}, with all tests of both engines concurrently: for tests that wait more than they compute, and share no variables. */
export function describeEnginesConcurrently(name: string, suite: (engine: Engine) => void): void {
  for (const engine of engines) describe.concurrent(`${name} (${engine})`, () => suite(engine));
}

/** Declares a test of a suite of both engines once, on SQLite: for what the browser does, where other tests send its requests on both engines. */
export function itOnce(engine: Engine, name: string, test: () => Promise<void>): void {
  if (engine === 'sqlite') it(name, test);
}
