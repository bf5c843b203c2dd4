import type { Migration } from '../migrator.ts';

declare global {
  interface ImportMeta {
    /** Loads modules of a folder; the bundler and Vitest write the imports. */
    glob<T>(pattern: string, options: { readonly eager: true }): Readonly<Record<string, T>>;
  }
}

/** All migrations in ascending order: the files in this folder that begin with a number. Never change a released one. [ADR 99] */
export const migrations: readonly Migration[] = Object.values(
  import.meta.glob<Readonly<Record<string, Migration>>>('./2*.ts', { eager: true }),
)
  .flatMap((file) => Object.values(file))
  .sort((one, other) => one.number - other.number);
