import type { Selection } from './scope.ts';

/** Selects the ids of rows. */
export const idOf: Selection<number> = { key: 'id', expressions: ['"id"'], read: ([id]) => Number(id) };
