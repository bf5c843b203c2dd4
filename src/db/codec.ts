import { refused } from '../core/errors.ts';
import type { Column, ColumnType } from './columns.ts';
import type { DialectName } from './dialect.ts';
import { say } from './messages.ts';

/** Removes characters that PostgreSQL or UTF-8 cannot store: NUL characters and lone surrogates. */
export function sanitizeText(text: string): string {
  const clean = text.includes('\0') ? text.replaceAll('\0', '') : text;
  return clean.isWellFormed() ? clean : clean.toWellFormed();
}

/** Sanitizes all texts and keys of a JSON value. Throws 422 for numbers that are not finite. */
function sanitizeJson(value: unknown): unknown {
  if (typeof value === 'string') return sanitizeText(value);
  if (typeof value === 'number' && !Number.isFinite(value)) throw refused(say.tooLarge);
  if (Array.isArray(value)) return value.map(sanitizeJson);
  if (value !== null && typeof value === 'object') {
    const copy: [string, unknown][] = Object.entries(value).map(([key, inner]) => [
      sanitizeText(key),
      sanitizeJson(inner),
    ]);
    return Object.fromEntries(copy);
  }
  return value;
}

/** Converts a row's value to the driver's parameter. Throws 422 for floats that are not finite. */
export function encode(type: ColumnType, value: unknown, dialect: DialectName): unknown {
  if (value === null || value === undefined) return null;
  switch (type) {
    case 'json':
      return JSON.stringify(sanitizeJson(value));
    case 'text':
      return typeof value === 'string' ? sanitizeText(value) : value;
    case 'boolean':
      return dialect === 'sqlite' ? (value ? 1 : 0) : value;
    case 'float':
      if (typeof value === 'number' && !Number.isFinite(value)) throw refused(say.tooLarge);
      return value;
    default:
      return value;
  }
}

/** Converts a driver's value to a row's value. Both drivers return times as ISO text and JSON as text. */
export function decode(type: ColumnType, raw: unknown): unknown {
  if (raw === null || raw === undefined) return null;
  if (type === 'boolean') return raw === 1 || raw === true;
  if (type === 'json') return JSON.parse(raw as string);
  return raw;
}

type RowDecoder = (raw: readonly unknown[]) => Record<string, unknown>;

/** Returns a decoder for raw rows with these columns: compiled, because a loop over their names takes ten times as long. */
export function rowDecoder(columns: readonly (readonly [string, Column])[]): RowDecoder {
  const properties = columns.map(([name, { type }], index) => {
    const isPlain = type !== 'boolean' && type !== 'json';
    return `${JSON.stringify(name)}: ${isPlain ? `raw[${index}]` : `decode('${type}', raw[${index}])`}`;
  });
  return new Function('decode', `return (raw) => ({ ${properties.join()} })`)(decode) as RowDecoder;
}
