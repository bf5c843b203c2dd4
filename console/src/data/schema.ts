import type { Words } from '../../../src/core/languages.ts';
import { getLanguage } from '../ui/language.ts';

/** A JSON Schema as the description of the API has them. */
export interface Schema {
  readonly type?: string | readonly string[];
  /** Its label in English. */
  readonly title?: string;
  /** The title in other languages. */
  readonly 'x-title'?: Partial<Words>;
  readonly description?: string;
  /** The hint below a field; the description where it lacks English. */
  readonly 'x-hint'?: Partial<Words>;
  /** Properties that are shown together. */
  readonly 'x-groups'?: readonly SchemaGroup[];
  readonly enum?: readonly (string | number | null)[];
  readonly const?: unknown;
  /** The default. */
  readonly 'x-default'?: unknown;
  /** The unit of a number. */
  readonly 'x-unit'?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly discriminator?: { readonly mapping?: Readonly<Record<string, string>> };
  readonly $ref?: string;
}

export type Schemas = Readonly<Record<string, Schema>>;

/** The description of the API. */
export interface ApiDescription {
  readonly components: { readonly schemas: Schemas };
}

/** Properties that a form shows together. */
export interface SchemaGroup extends Pick<Schema, 'title' | 'x-title'> {
  readonly names: readonly string[];
}

/** Returns a text in the language of the page; the English one if there is no other. */
export const wordsIn = (words: Partial<Words> | undefined, english: string | undefined): string | undefined =>
  words?.[getLanguage()] ?? english;

/** Returns the label of something in the language of the page. */
export const titleOf = ({ title, 'x-title': others }: Pick<Schema, 'title' | 'x-title'>): string | undefined =>
  wordsIn(others, title);
