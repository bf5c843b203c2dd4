import { createRequire } from 'node:module';
import { errorCode } from './system.ts';

/** A package with native code cannot be loaded on this machine; the message names the remedy. */
export class NativeModuleError extends Error {
  constructor(name: string, cause: unknown) {
    super(`${name} ${problem(cause)} ${name === compiled ? recompilation() : reinstallation}`, { cause });
    this.name = 'NativeModuleError';
  }
}

/** The package that npm compiles where it finds no binary; the binaries of the others are packages themselves. */
const compiled = 'better-sqlite3';

const reinstallation = 'Install Potager again on this machine, without omitting optional dependencies.';

function recompilation(): string {
  const path = createRequire(import.meta.url).resolve(compiled);
  const folder = path.slice(0, path.lastIndexOf('node_modules') - 1);
  return `Run "npm rebuild ${compiled}" in ${folder}: it downloads a binary, or compiles one with python3, make and g++.`;
}

function problem(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  if (message.includes('NODE_MODULE_VERSION'))
    return `was installed for another version of Node.js than this one (${process.versions.node}).`;
  if (isDlopenError(error)) return `cannot be loaded (${message.split('\n')[0]}).`;
  return `has no binary for this machine (${process.platform}-${process.arch}).`;
}

const isDlopenError = (error: unknown): boolean => errorCode(error) === 'ERR_DLOPEN_FAILED';

/** Returns an error of opening a database as NativeModuleError if the driver could not be loaded, else unchanged. */
export const asDriverError = (error: unknown): unknown =>
  isDlopenError(error) || (error instanceof Error && error.message.startsWith('Could not locate the bindings file'))
    ? new NativeModuleError(compiled, error)
    : error;

function load<T>(name: string, importing: Promise<T>): Promise<T> {
  return importing.catch((error: unknown) => {
    throw new NativeModuleError(name, error);
  });
}

/** Imports argon2, which hashes passwords. Throws {@link NativeModuleError}. */
export const loadArgon2 = () => load('@node-rs/argon2', import('@node-rs/argon2'));

/** Imports sharp, which processes pictures. Throws {@link NativeModuleError}. */
export const loadSharp = () => load('sharp', import('sharp'));
