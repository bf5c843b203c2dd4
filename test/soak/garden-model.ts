import type { Json, JsonObject } from '../support/json.ts';
import { isObject } from '../support/json.ts';
import type { RecordKind } from './record-kinds.ts';

/** A record, as its only writer knows it. */
export interface ModelRecord {
  readonly kind: RecordKind;
  readonly name: string;
  id: number | null;
  /** The possible states on the server: one state, or the states before and after a request whose outcome is unknown. Null: no record. */
  states: readonly (JsonObject | null)[];
  /** Records that are deleted together with this one, or not at all. */
  group: readonly ModelRecord[];
}

/** Whether a value of the server contains everything that was sent. */
export function includes(found: Json | undefined, sent: Json): boolean {
  if (Array.isArray(sent))
    return Array.isArray(found) && found.length === sent.length && sent.every((each, i) => includes(found[i], each));
  if (isObject(sent))
    return isObject(found) && Object.entries(sent).every(([name, value]) => includes(found[name], value));
  return found === sent;
}

/** The knowledge of one writer about its records from its responses. Other writers do not change them. */
export class GardenModel {
  /** The beginning of the names of all its records. */
  readonly prefix: string;
  readonly #records = new Map<string, ModelRecord>();

  constructor(prefix: string) {
    this.prefix = prefix;
  }

  /** The records that certainly exist. */
  existing(): ModelRecord[] {
    return [...this.#records.values()].filter(({ states, id }) => id !== null && states.length === 1 && states[0]);
  }

  /** Records a create. `id` is null if its outcome is unknown. */
  created(kind: RecordKind, name: string, values: JsonObject, id: number | null): void {
    this.#records.set(name, { kind, name, id, states: id === null ? [null, values] : [values], group: [] });
  }

  changed(record: ModelRecord, values: JsonObject, isKnown: boolean): void {
    const changed = record.states.map((state) => state && { ...state, ...values });
    record.states = isKnown ? changed : [...record.states, ...changed];
  }

  /** Records that one request deleted records. */
  deleted(records: readonly ModelRecord[], isKnown: boolean): void {
    for (const record of records) {
      record.states = isKnown ? [null] : [...record.states, null];
      record.group = isKnown ? [] : records;
    }
  }

  /** Returns whether a record that was read is in a state that is possible now. */
  isPossible(record: ModelRecord, found: JsonObject | null): boolean {
    return record.states.some((state) => (state === null ? found === null : found !== null && includes(found, state)));
  }

  /** Compares the records of a collection with the model, and returns sentences about lost, wrong and surplus records. */
  compare(collection: string, rows: readonly JsonObject[]): string[] {
    const problems: string[] = [];
    const found = new Map<ModelRecord, JsonObject | null>();
    for (const record of this.#records.values()) if (record.kind.collection === collection) found.set(record, null);
    for (const row of rows) {
      const name = [row.name, row.label, row.key].find((each) => typeof each === 'string');
      if (typeof name !== 'string' || !name.startsWith(this.prefix)) continue;
      const record = this.#records.get(name);
      if (!record) problems.push(`${collection} ${row.id}: ${name} was never created`);
      else if (found.get(record)) problems.push(`${collection} ${row.id}: ${name} is there twice`);
      else if (record.id !== null && record.id !== row.id)
        problems.push(`${collection} ${row.id}: ${name} was created as ${record.id}`);
      else found.set(record, row);
    }
    for (const [record, row] of found) {
      if (!this.isPossible(record, row))
        problems.push(
          `${collection} ${record.id} ${record.name}: expected ${JSON.stringify(record.states)}, found ${JSON.stringify(row)}`,
        );
      const other = record.group.find((each) => (found.get(each) === null) !== (row === null));
      if (other) problems.push(`${collection}: ${record.name} and ${other.name} were to be deleted together`);
    }
    return problems;
  }

  /** Adopts the server's records, after {@link compare} found no problem and all requests have ended. */
  adopt(collection: string, rows: readonly JsonObject[]): void {
    const byName = new Map(rows.map((row) => [row.name ?? row.label ?? row.key ?? null, row]));
    for (const [name, record] of this.#records) {
      if (record.kind.collection !== collection) continue;
      const row = byName.get(name) ?? null;
      record.id = row && typeof row.id === 'number' ? row.id : record.id;
      record.states = [record.states.find((state) => (state === null ? !row : row && includes(row, state))) ?? null];
      record.group = [];
      if (record.states[0] === null) this.#records.delete(name);
    }
  }
}
