import { Failure } from '../core/errors.ts';
import type { Column, ColumnType } from './columns.ts';
import type { DialectName } from './dialect.ts';

/** Text that both engines can hold: no NUL (PostgreSQL refuses it), no lone surrogates. */
export function sanitizeText(text: string): string {
  const clean = text.includes('\0') ? text.replaceAll('\0', '') : text;
  return clean.isWellFormed() ? clean : clean.toWellFormed();
}

/** The same at any depth of a JSON value, keys included. Numbers that are not finite are refused. */
function storableJson(value: unknown): unknown {
  if (typeof value === 'string') return sanitizeText(value);
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new Failure('refused', 'A number in the body is too large.');
  if (Array.isArray(value)) return value.map(storableJson);
  if (value !== null && typeof value === 'object') {
    const copy: [string, unknown][] = Object.entries(value).map(([key, inner]) => [
      sanitizeText(key),
      storableJson(inner),
    ]);
    return Object.fromEntries(copy);
  }
  return value;
}

/** From a row's value to what the driver binds. */
export function encode(type: ColumnType, value: unknown, dialect: DialectName): unknown {
  if (value === null || value === undefined) return null;
  switch (type) {
    case 'json':
      return JSON.stringify(storableJson(value));
    case 'text':
      return typeof value === 'string' ? sanitizeText(value) : value;
    case 'boolean':
      return dialect === 'sqlite' ? (value ? 1 : 0) : value;
    case 'float':
      if (typeof value === 'number' && !Number.isFinite(value))
        throw new Failure('refused', 'A number in the body is too large.');
      return value;
    default:
      return value;
  }
}

/** From what the driver gives to a row's value. Times are ISO text on both engines; JSON arrives as text on both. */
export function decode(type: ColumnType, raw: unknown): unknown {
  if (raw === null || raw === undefined) return null;
  if (type === 'boolean') return raw === 1 || raw === true;
  if (type === 'json') return JSON.parse(raw as string);
  return raw;
}

/** Reads a whole row of these columns, compiled once per table. */
export function rowDecoder(
  columns: readonly (readonly [string, Column])[],
): (raw: readonly unknown[]) => Record<string, unknown> {
  const readers = columns.map(([name, { type }]) => ({ name, type, plain: type !== 'boolean' && type !== 'json' }));
  return (raw) => {
    const row: Record<string, unknown> = {};
    for (let i = 0; i < readers.length; i++) {
      const reader = readers[i];
      if (reader) row[reader.name] = reader.plain ? raw[i] : decode(reader.type, raw[i]);
    }
    return row;
  };
}
