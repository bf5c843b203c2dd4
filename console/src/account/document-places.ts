import { labelIn, resourceOf } from '../data/field-label.ts';
import { listTitle } from '../data/resource-names.ts';
import type { useSchemas } from '../data/schemas.ts';
import { partsText } from './parts-text.ts';

/** Returns the name of a key's content in an export: `Tools` of `tools`, `Robot settings` of `fbos_config`. */
export const partTitle = (key: string, form: 'one' | 'many' = 'many'): string =>
  partsText().documentParts[key] ??
  // An object is named like its resource, a list like the list.
  listTitle(/s$/.test(key) ? key : resourceOf(key), form);

/** Returns a JSON pointer into an export in words: `Plant or point 3 · Tool` of `/points/2/tool_id`. */
export function placeInWords(pointer: string, schemas: ReturnType<typeof useSchemas>): string {
  const [key, index, ...fields] = pointer.split('/').slice(1);
  if (key === undefined) return '';
  const isNumber = index !== undefined && /^\d+$/.test(index);
  const title = isNumber ? `${partTitle(key, 'one')} ${Number(index) + 1}` : partTitle(key);
  // All records of a list are `*`.
  const field = (isNumber || index === '*' || index === undefined ? fields : [index, ...fields]).map((name) =>
    labelIn(schemas, resourceOf(key), name),
  );
  return [title, ...field].join(' · ');
}
