import type { FieldFailure, FieldFailures } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import type { DialectName } from '../db/dialect.ts';
import type { JsonForm } from '../db/json-expressions.ts';
import { concatenate, jsonParts } from '../db/json-expressions.ts';
import { sayOfField } from '../engine/field-messages.ts';
import { Type } from '../engine/json-schema.ts';
import type { Kind } from '../engine/kinds.ts';
import { bigintKind, fieldProblem, idSchema, Problem, timeSchema } from '../engine/kinds.ts';

import { say } from './messages.ts';

/** Maximum number of items of a regimen. [rule P37] */
export const maxItems = 500;

/** An item of a regimen in a request: which sequence runs when. */
export interface RegimenItemInput {
  readonly sequence_id: number;
  /** Milliseconds relative to the start of the regimen. */
  readonly time_offset: number;
}

function parseNumber(item: Readonly<Record<string, unknown>>, name: keyof RegimenItemInput): number | Problem {
  const sent = Object.hasOwn(item, name) ? item[name] : undefined;
  if (sent === undefined) return fieldProblem(name, sayOfField.required);
  if (sent === null) return fieldProblem(name, sayOfField.notNull);
  if (sent === '') return fieldProblem(name, sayOfField.notBlank);
  return bigintKind.parse(sent, name);
}

/** Parses one item. */
function parseItem(element: unknown): RegimenItemInput | Problem {
  if (!isObject(element)) return new Problem(say.noItem);
  const failures: FieldFailures = {};
  const sequence_id = parseNumber(element, 'sequence_id');
  const time_offset = parseNumber(element, 'time_offset');
  if (sequence_id instanceof Problem) failures.sequence_id = sequence_id.failure;
  if (time_offset instanceof Problem) failures.time_offset = time_offset.failure;
  if (sequence_id instanceof Problem || time_offset instanceof Problem) return new Problem(failures);
  return { sequence_id, time_offset };
}

/** Parses the items. Failures have the positions of the invalid items. [rule P37] */
function parseItems(value: unknown, name: string): RegimenItemInput[] | Problem {
  if (!Array.isArray(value)) return fieldProblem(name, sayOfField.list);
  if (value.length > maxItems) return fieldProblem(name, say.maxItems, maxItems);
  const items: RegimenItemInput[] = [];
  const failures: (FieldFailure | null)[] = [];
  for (const element of value as readonly unknown[]) {
    const item = parseItem(element);
    failures.push(item instanceof Problem ? item.failure : null);
    if (!(item instanceof Problem)) items.push(item);
  }
  return items.length < failures.length ? new Problem(failures) : items;
}

/** The kind of the field `regimen_items`. */
export const itemsKind: Kind<RegimenItemInput[]> = {
  column: 'json',
  parse: parseItems,
  cast: parseItems,
  output: Type.Array(
    Type.Object({
      id: idSchema,
      created_at: timeSchema,
      updated_at: timeSchema,
      regimen_id: idSchema,
      sequence_id: idSchema,
      time_offset: bigintKind.output,
    }),
  ),
  input: Type.Array(Type.Object({ sequence_id: idSchema, time_offset: bigintKind.input }), {
    maxItems: maxItems,
  }),
};

const shown: readonly (readonly [column: string, form: JsonForm])[] = [
  ['id', 'bigint'],
  ['created_at', 'time'],
  ['updated_at', 'time'],
  ['regimen_id', 'bigint'],
  ['sequence_id', 'bigint'],
  ['time_offset', 'bigint'],
];

function listed(dialect: DialectName): string {
  const parts = shown.flatMap(([column, form], at) => [
    { text: `${at === 0 ? '{' : ','}"${column}":` },
    ...jsonParts(dialect, form, `item."${column}"`, false),
  ]);
  const item = concatenate([...parts, { text: '}' }]);
  return `(select '[' || coalesce(string_agg(${item}, ',' order by item.id), '') || ']' from regimen_items item where item.regimen_id = regimens.id)`;
}

/** SQL for the JSON of a regimen's items in order of creation. */
export const itemsExpression: Readonly<Record<DialectName, string>> = {
  sqlite: listed('sqlite'),
  postgres: listed('postgres'),
};
