import Sqlite from 'better-sqlite3';
import { asDriverError } from '../core/native-module.ts';

const connections: Sqlite.Database[] = [];
const retained: object[] = [];

// Also at process.exit() and after an uncaught error.
process.on('exit', () => {
  for (const connection of connections) connection.close();
});

/** Opens a database file; the connection is closed when the process exits, at the latest. Throws NativeModuleError and SQLite's errors. */
export function openConnection(path: string, options: Sqlite.Options): Sqlite.Database {
  try {
    const connection = new Sqlite(path, options);
    connections.push(connection);
    retainBackups(connection);
    return connection;
  } catch (error) {
    throw asDriverError(error);
  }
}

/**
 * Keeps a statement (or a cache of statements) from being garbage-collected, even after its connection is closed. Node 24.19
 * and newer abort in `RemoveEnvironmentCleanupHook` if better-sqlite3 12 loses an object between two microtasks. Pragmas go
 * through `exec` for this reason, too: `pragma()` leaves a statement behind.
 */
export function retain<T extends object>(statements: T): T {
  retained.push(statements);
  return statements;
}

/** The part that the driver hides behind a symbol: its native database, which creates the native object of each `backup()`. */
interface NativeDatabase {
  backup: (...parameters: unknown[]) => object;
}

/** Retains the objects of `connection.backup()`, which the driver does not return. */
function retainBackups(connection: Sqlite.Database): void {
  const natives: unknown[] = Object.getOwnPropertySymbols(connection).map((symbol) => Reflect.get(connection, symbol));
  for (const native of natives) {
    if (!isNativeDatabase(native)) continue;
    const create = native.backup;
    native.backup = (...parameters) => retain(create.apply(native, parameters));
  }
}

function isNativeDatabase(value: unknown): value is NativeDatabase {
  return typeof value === 'object' && value !== null && 'backup' in value && typeof value.backup === 'function';
}
