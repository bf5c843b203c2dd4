import type { ChangeRow } from '../db/change-rows.ts';
import { changeRows } from '../db/change-rows.ts';
import type { DialectName } from '../db/dialect.ts';
import type { JsonPart } from '../db/json-expressions.ts';
import { concatenate, jsonParts } from '../db/json-expressions.ts';
import type { JsonExpressions } from '../db/scope.ts';
import { regimens } from '../programs/regimens.ts';
import { sequences } from '../programs/sequences.ts';

/** Returns the parts of an object's JSON: of columns of the log by their names, or of other values. */
function objectParts(
  dialect: DialectName,
  members: Readonly<Record<string, (keyof ChangeRow & string) | readonly JsonPart[]>>,
): readonly JsonPart[] {
  const parts: JsonPart[] = [];
  for (const [key, member] of Object.entries(members)) {
    parts.push({ text: `${parts.length === 0 ? '{' : ','}"${key}":` });
    const column = typeof member === 'string' ? changeRows.columns[member] : undefined;
    if (column) parts.push(...jsonParts(dialect, column.type, `"${String(member)}"`, column.isNullable));
    else if (typeof member !== 'string') parts.push(...member);
  }
  return [...parts, { text: '}' }];
}

const record = 'coalesce("after", "before")';

/** Returns a field of the record. */
const recordField: Readonly<Record<DialectName, (name: string) => string>> = {
  sqlite: (name) => `json_extract(${record}, '$.${name}')`,
  postgres: (name) => `(cast(${record} as json) ->> '${name}')`,
};

/** The name of the record, or a substitute: events of the schedule have the name of their program, which their readers may read as well. */
function recordName(dialect: DialectName): string {
  const field = recordField[dialect];
  const ofExecutables = [sequences, regimens].map(
    ({ name, options }) =>
      `when ${field('executable_type')} = '${options.changeLogName}' then (select "name" from "${name}" where "id" = cast(${field('executable_id')} as bigint) and "device_id" = "changes"."device_id")`,
  );
  const own = `coalesce(${field('name')}, ${field('label')})`;
  return `case when "resource" <> 'FarmEvent' then ${own} ${ofExecutables.join(' ')} end`;
}

const entry = (dialect: DialectName): string =>
  concatenate(
    objectParts(dialect, {
      id: 'id',
      at: 'created_at',
      request: 'request',
      actor: objectParts(dialect, {
        kind: 'actor_kind',
        user_id: 'actor_user_id',
        name: 'actor_name',
        via: 'actor_via',
      }),
      resource: 'resource',
      record_id: 'record_id',
      action: 'action',
      name: jsonParts(dialect, 'text', recordName(dialect), true),
      label: 'label',
    }),
  );

/** The parts of a change in the history besides the record, which may be large: JSON that the database writes. [ADR 4] */
export const entryJson: JsonExpressions = { key: 'entry', sqlite: entry('sqlite'), postgres: entry('postgres') };
