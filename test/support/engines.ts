import { describe } from 'vitest';

/** The two databases that Potager runs on. */
export type Engine = 'sqlite' | 'postgres';

export const engines: readonly Engine[] = ['sqlite', 'postgres'];

/** Runs a suite once on each engine. */
export function describeEngines(name: string, suite: (engine: Engine) => void): void {
  for (const engine of engines) describe(`${name} (${engine})`, () => suite(engine));
}
