import type { RowOf } from '../../src/db/table.ts';
import { parseBody } from '../../src/engine/body.ts';
import { tools } from '../../src/garden/tools.ts';

/** Returns the row of a tool with its defaults, for tests that insert one without a request. */
export const plainTool = (name: string) =>
  parseBody(tools.fields, { name }, 'create').values as Omit<
    RowOf<typeof tools>,
    'id' | 'created_at' | 'updated_at' | 'device_id'
  >;
