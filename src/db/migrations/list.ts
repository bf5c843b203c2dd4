import type { Migration } from '../migrator.ts';
import { firstSchema } from './20261121000000-first-schema.ts';

/** Every migration, in order. Never change one that was released: add the next. */
export const migrations: readonly Migration[] = [firstSchema];
