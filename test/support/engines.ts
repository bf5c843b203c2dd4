import { describe, it } from 'vitest';

/** The database engines that Potager supports. */
export type Engine = 'sqlite' | 'postgres';

const all: readonly Engine[] = ['sqlite', 'postgres'];

/** Returns the engines of a list like `sqlite,postgres`; all without one. Throws for other names. */
export function enginesOf(list: string | undefined): readonly Engine[] {
  if (list === undefined || list === '') return all;
  const names = list.split(',').map((name) => name.trim());
  for (const name of names)
    if (!all.some((engine) => engine === name))
      throw new Error(`ENGINES: "${name}" is no engine. Write one of ${all.join(', ')}, or several with commas.`);
  return all.filter((engine) => names.includes(engine));
}

/** The engines that tests run on, which ENGINES names. */
export const engines = enginesOf(process.env.ENGINES);

/** Runs a suite on each engine. */
export function describeEngines(name: string, suite: (engine: Engine) => void): void {
  for (const engine of engines) describe(`${name} (${engine})`, () => suite(engine));
}

/** Like {@link describeEngines}, with all tests of both engines concurrently: for tests that wait more than they compute, and share no variables. */
export function describeEnginesConcurrently(name: string, suite: (engine: Engine) => void): void {
  for (const engine of engines) describe.concurrent(`${name} (${engine})`, () => suite(engine));
}

/** Declares a test of a suite of both engines once, on SQLite: for actions of the browser, where other tests send its requests on both engines. */
export function itOnce(engine: Engine, name: string, test: () => Promise<void>): void {
  if (engine === 'sqlite') it(name, test);
}

/** Declares a suite that depends on no engine, in a file that runs on each: once, beside the suites on SQLite. */
export function describeAnyEngine(name: string, suite: () => void): void {
  if (engines.includes('sqlite')) describe(name, suite);
}

/** Declares a test that depends on no engine, like {@link describeAnyEngine}. */
export function itAnyEngine(name: string, test: () => void | Promise<void>): void {
  if (engines.includes('sqlite')) it(name, test);
}
