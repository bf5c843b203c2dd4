import type { Migration } from '../migrator.ts';

declare global {
  interface ImportMeta {
    /** Loads modules of a folder; the bundler and Vitest write the imports. */
    glob<T>(pattern: string, options: { readonly eager: true }): Readonly<Record<string, T>>;
  }
}

const files: Readonly<Record<string, Readonly<Record<string, Migration>>>> = import.meta.glob('./2*.ts', {
  eager: true,
});

/** All migrations in ascending order: the files in this folder that begin with a number. Never change a released one. [ADR 99] */
export const migrations: readonly Migration[] = Object.values(files)
  .flatMap((file) => Object.values(file))
  .sort((one, other) => one.number - other.number);
