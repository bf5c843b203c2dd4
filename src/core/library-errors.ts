import { fileURLToPath } from 'node:url';

/** The folder of this program, which npm may have installed as a library. */
const root = fileURLToPath(new URL('../..', import.meta.url));

/** Functions that report an error which a library throws later, in a callback of Node, to its users, by its name or scope in node_modules. */
const users = new Map<string, Set<(error: unknown) => void>>();

/** The library of Node's own `fetch`. */
export const nodeFetch = 'undici';

/** Calls `fail` with errors that a library throws after the calls of its functions, which would end the process otherwise. Returns a function that ends this. */
export function onLateError(library: string, fail: (error: unknown) => void): () => void {
  const own = (error: unknown): void => fail(error);
  const failing = users.get(library) ?? new Set();
  users.set(library, failing.add(own));
  return () => void failing.delete(own);
}

/** Runs work of a library. Rejects with an error that the library throws outside of the promise until it is settled. All running attempts fail: which one caused the error is unknown. */
export async function withLateErrors<T>(library: string, work: () => Promise<T>): Promise<T> {
  let end = (): void => undefined;
  try {
    return await Promise.race([
      new Promise<never>((_, reject) => {
        end = onLateError(library, reject);
      }),
      work(),
    ]);
  } finally {
    end();
  }
}

/** Returns the library of a line of a stack; null: it is code of this program, in a folder. Undefined: it is a function of Node. */
function libraryOf(line: string, folder: string): string | null | undefined {
  if (line.includes('node:internal/deps/undici/')) return nodeFetch;
  if (/\(?node:/.test(line)) return undefined;
  const own = line.split(folder).at(-1) ?? '';
  return /.*(?:^|\/)node_modules\/(@?[^/]+)\//.exec(own)?.[1] ?? null;
}

/** Reports an uncaught error to the users of the library that threw it. Returns the name of the library; null if it has no users, or if the error comes from this program, which is in `folder`. */
export function reportLateError(error: unknown, folder = root): string | null {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const lines = stack.split('\n').filter((line) => /^ {4}at /.test(line));
  for (const library of lines.map((line) => libraryOf(line, folder))) {
    if (library === undefined) continue;
    // Code of this program threw, or called: its state is unknown.
    if (library === null) return null;
    const failing = users.get(library);
    if (!failing) continue;
    for (const fail of [...failing]) fail(error);
    return library;
  }
  return null;
}
