import { describe } from 'vitest';

/** The database engines that Potager supports. */
export type Engine = 'sqlite' | 'postgres';

export const engines: readonly Engine[] = ['sqlite', 'postgres'];

/** Runs a suite on each engine. */
export function describeEngines(name: string, suite: (engine: Engine) => void): void {
  for (const engine of engines) describe(`${name} (${engine})`, () => suite(engine));
}
