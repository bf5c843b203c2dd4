import type { Table } from '../db/table.ts';
import { describeMaximum } from '../engine/resource.ts';
import { resources, tables } from '../resources.ts';
import { webhooks } from '../webhooks/webhook-resource.ts';

const wordsOf = ({ name }: Table): string => name.replaceAll('_', ' ');

const records = [...resources, webhooks].filter(({ options }) => options.max !== 1);
const names = new Set(records.map(({ name }) => name));

const partRow = (table: Table): string[] =>
  table.maximum === null || table.maximum.rows === 1 || names.has(table.name)
    ? []
    : [`| ${wordsOf(table)} | A garden has at most ${table.maximum.rows}. | \`${table.maximum.key}\` |`];

/** The part of `docs/limits.md` about records. */
export const recordLimits = (): string => `
## Records

The maximum number of records of each kind in a garden, whatever their origin: requests, imports, saved gardens, the history, robots. Beyond it the request gets the status 422 with the key in the table, and nothing is changed. Records
above a maximum stay as they are: they can be read, changed and deleted. Quotas are in [docs/settings.md](settings.md).

| Records | How many | Key |
|---|---|---|
${records.map((resource) => `| ${wordsOf(resource)} | ${describeMaximum(resource)} | ${resource.maximum ? `\`${resource.maximum.key}\`` : ''} |`).join('\n')}
${tables.flatMap(partRow).join('\n')}
`;
