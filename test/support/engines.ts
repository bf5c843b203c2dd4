import { describe } from 'vitest';

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
