import type { Words } from '../core/languages.ts';
import type { JsonSchema } from './json-schema.ts';
import { titled } from './json-schema.ts';
import { words } from './labels.ts';

/** Fields that a form shows together: the names match, unless an earlier group has them. */
export interface FieldGroup {
  readonly title: Words;
  readonly names: RegExp;
}

/** Declares a group, with its title in both languages. */
export const group = (en: string, fr: string, names: RegExp): FieldGroup => ({ title: words(en, fr), names });

/** Returns the schema of an object with the groups of its properties, in their order. */
export function withGroups(schema: JsonSchema, groups: readonly FieldGroup[] | undefined): JsonSchema {
  if (!groups) return schema;
  const all = Object.keys(schema.properties ?? {});
  const groupOf = (name: string): FieldGroup | undefined => groups.find(({ names }) => names.test(name));
  return {
    ...schema,
    'x-groups': groups.map((each) => ({ ...titled(each.title), names: all.filter((name) => groupOf(name) === each) })),
  };
}
