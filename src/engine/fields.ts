import type { Words } from '../core/languages.ts';
import type { ForeignKey } from '../db/columns.ts';
import { Column } from '../db/columns.ts';
import type { DialectName } from '../db/dialect.ts';
import { sayOfField } from './field-messages.ts';
import type { JsonSchema } from './json-schema.ts';
import { Type, titled } from './json-schema.ts';
import type { Kind, Problem } from './kinds.ts';
import {
  bigintKind,
  booleanKind,
  choiceKind,
  fieldProblem,
  floatKind,
  integerKind,
  modelProblem,
  textKind,
  timeKind,
} from './kinds.ts';
import type { Label } from './labels.ts';
import { titleOf, words } from './labels.ts';
import type { Unit } from './units.ts';
import { unitSentence } from './units.ts';

/** Maximum length of a text field that declares no other, in characters. It bounds the memory that a list takes. */
const defaultMaxLength = 10_000;

/** Maximum length of a unique text field, in bytes. PostgreSQL indexes at most 2,704. */
const maxIndexedBytes = 2000;

/** The requests that may set a field. */
export type Writability = 'always' | 'on create' | 'on update' | 'never';

/** An SQL expression: the same on both engines, or one for each. */
export type SqlExpression = string | Readonly<Record<DialectName, string>>;

type Check = (value: never, name: string) => Problem | null;

/**
 * The value that a create stores for a missing field: none, and 422 is the answer, from the field or from rules of the
 * resource; a null; a default; or the server's value.
 */
export type Absence = 'refused' | 'refused by a rule' | 'null' | 'set by the server' | { readonly default: unknown };

/** The treatment of a sent null: stored, ignored as if it had not been sent, or 422. [decision 5] */
export type NullPolicy = 'stored' | 'ignored' | 'refused' | 'refused on create';

interface Traits {
  readonly absence: Absence;
  readonly null: NullPolicy;
  /** The value for "": an error, null, or itself. */
  readonly empty: 'refused' | 'null' | 'kept';
  readonly writability: Writability;
  readonly isShown: boolean;
  /** An SQL expression shown instead of the column. */
  readonly shownAs: SqlExpression | null;
  /** Has no column, only an SQL expression. */
  readonly isDerived: boolean;
  /** The variants of the resource that show it; null: all. */
  readonly variants: readonly string[] | null;
  readonly foreignKey: ForeignKey | null;
  /** The treatment of an id that is not the device's own record: an error under this key, null is stored, or 404. */
  readonly ownership: { readonly key: string } | 'null' | 'not found' | null;
  readonly isUnique: boolean;
  /** The check of the length. */
  readonly length: Check | null;
  readonly checks: readonly Check[];
  /** Keywords added to the JSON Schema of the input. */
  readonly limits: object;
  readonly description: string | null;
  /** Its label. */
  readonly label: Words | null;
  /** The hint below the field. */
  readonly hint: Words | null;
  readonly unit: Unit | null;
  readonly isAddition: boolean;
}

const defaultTraits: Traits = {
  absence: 'set by the server',
  null: 'ignored',
  empty: 'refused',
  writability: 'always',
  isShown: true,
  shownAs: null,
  isDerived: false,
  variants: null,
  foreignKey: null,
  ownership: null,
  isUnique: false,
  length: null,
  checks: [],
  limits: {},
  description: null,
  label: null,
  hint: null,
  unit: null,
  isAddition: false,
};

/**
 * A field of a resource: its column, input rules, output and documentation. `T` is the type of the value in rows, `Named` whether it
 * has a label or is hidden. Immutable: each method returns a new field.
 */
export class Field<T = unknown, Named extends boolean = boolean> {
  /** Never set: makes the types of fields with and without a label differ. */
  declare readonly isNamed: Named;
  readonly kind: Kind<NonNullable<T>>;
  readonly traits: Traits;

  constructor(kind: Kind<NonNullable<T>>, traits: Traits = defaultTraits) {
    this.kind = kind;
    this.traits = traits;
  }

  #with<U = T, N extends boolean = Named>(traits: Partial<Traits>): Field<U, N> {
    return new Field<U, N>(this.kind as Kind<unknown> as Kind<NonNullable<U>>, { ...this.traits, ...traits });
  }

  /** Must be sent on create, and not be null there unless it is {@link nullable}. */
  required(): Field<T, Named> {
    const isIgnored = this.traits.null === 'ignored';
    return this.#with({ absence: 'refused', ...(isIgnored && { null: 'refused on create' }) });
  }
  /** Null may be sent and is stored; it is also the default, unless the field is required or has another. */
  nullable(): Field<T | null, Named> {
    const isOpen = this.traits.absence === 'set by the server';
    return this.#with({ null: 'stored', ...(isOpen && { absence: 'null' }) });
  }
  /** Holds null until a value is sent; a null counts as not sent. */
  nullByDefault(): Field<T | null, Named> {
    return this.#with({ absence: 'null' });
  }
  /** A null is an error. */
  notNull(when: 'always' | 'on create' = 'always'): Field<T, Named> {
    return this.#with({ null: when === 'always' ? 'refused' : 'refused on create' });
  }
  /** "" stores null. */
  emptyAsNull(): Field<T, Named> {
    return this.#with({ empty: 'null' });
  }
  /** "" is stored. */
  emptyAllowed(): Field<T, Named> {
    return this.#with({ empty: 'kept' });
  }
  /** The value of a new record if none is sent. */
  default(value: NonNullable<T>): Field<T, Named> {
    return this.#with({ absence: { default: value } });
  }
  /** Set by the server; ignored in requests. */
  readOnly(): Field<T, Named> {
    return this.#with({ writability: 'never' });
  }
  onCreateOnly(): Field<T, Named> {
    return this.#with({ writability: 'on create' });
  }
  /** Accepted in updates only. If the field is derived too, it is published in the schema and a hook reads it from the body. */
  onUpdateOnly(): Field<T, Named> {
    return this.#with({ writability: 'on update' });
  }
  /** Stored, but never shown. */
  hidden(): Field<T, true> {
    return this.#with({ isShown: false });
  }
  /** Shows an SQL expression over the row instead of the column. */
  shownAs(expression: string): Field<T, Named> {
    return this.#with({ shownAs: expression });
  }
  /** Has no column, only an SQL expression over the row that names columns as `table.column`. Call it last: the result is read-only. */
  derived(expression: SqlExpression): DerivedField<T, Named> {
    const writability = this.traits.writability === 'on update' ? 'on update' : 'never';
    return new DerivedField(this.kind, { ...this.traits, shownAs: expression, isDerived: true, writability });
  }
  /** Shown for these variants only. */
  onlyFor(...variants: string[]): Field<T, Named> {
    return this.#with({ variants });
  }
  /** An id of another table. If it is not the device's own record: 422 under `key`, null is stored (`'null'`), or 404 (`'not found'`). [decision 14, 29] */
  references(
    table: string,
    onDelete: ForeignKey['onDelete'],
    ownership: NonNullable<Traits['ownership']>,
  ): Field<T, Named> {
    return this.#with({ foreignKey: { table, onDelete }, ownership });
  }
  /** Unique among the records of a device. Text is limited to 2,000 bytes, for the index. */
  unique(): Field<T, Named> {
    const unique = this.#with({ isUnique: true });
    const { maxLength } = this.traits.limits as { maxLength?: number };
    if (maxLength === undefined) return unique;
    return unique.check(indexSizeProblem, { maxLength: Math.min(maxLength, maxIndexedBytes) });
  }
  /** Sets the maximum length in characters. `level`: how a longer text is reported, see {@link Problem}. */
  max(length: number, level: 'field' | 'model' = 'model'): Field<T, Named> {
    const problem = level === 'field' ? fieldProblem : modelProblem;
    return this.#with({
      length: (value: unknown, name) =>
        typeof value === 'string' && exceedsLength(value, length) ? problem(name, sayOfField.maxLength, length) : null,
      limits: { ...this.traits.limits, maxLength: length },
    });
  }
  /** Sets the minimum and the maximum. `level`: how other numbers are reported, see {@link Problem}. */
  range(low: number, high: number, level: 'field' | 'model' = 'field'): Field<T, Named> {
    const problem = level === 'field' ? fieldProblem : modelProblem;
    return this.check(
      (value, name) => {
        if (typeof value !== 'number') return null;
        if (value < low) return problem(name, sayOfField.atLeast, low);
        return value > high ? problem(name, sayOfField.atMost, high) : null;
      },
      { minimum: low, maximum: high },
    );
  }
  /** Adds a check. `limits` are the JSON Schema keywords of the same meaning, if there are any. */
  check(rule: (value: NonNullable<T>, name: string) => Problem | null, limits: object = {}): Field<T, Named> {
    return this.#with({
      checks: [...this.traits.checks, rule as Check],
      limits: { ...this.traits.limits, ...limits },
    });
  }
  /** Limits the field in the documentation, to the values that clients should send. */
  documented(limits: { readonly minimum: number; readonly maximum?: number }): Field<T, Named> {
    return this.#with({ limits: { ...this.traits.limits, ...limits } });
  }
  /** Must be sent on create, which rules of the resource check. */
  requiredByRule(): Field<T, Named> {
    return this.#with({ absence: 'refused by a rule' });
  }
  /** Describes the field in the documentation. `french`: the same for people, to whom forms show both. */
  describe(description: string, french?: string): Field<T, Named> {
    return this.#with({ description, ...(french !== undefined && { hint: words(description, french) }) });
  }
  /** Names the field for people: in both languages, or as fields of other resources are named. */
  label(...[en, fr = '']: Label): Field<T, true> {
    return this.#with({ label: typeof en === 'string' ? words(en, fr) : en });
  }
  /** Adds a hint in forms: the documentation is for programmers. */
  hint(en: string, fr: string): Field<T, Named> {
    return this.#with({ hint: words(en, fr) });
  }
  /** Names the unit of a number. The hint ends with it; without a hint, it is part of the label. */
  unit(unit: Unit): Field<T, Named> {
    return this.#with({ unit });
  }
  /** The recorded version of the original service does not have the field: comparisons with it leave the field out. [decision 24] */
  addition(): Field<T, Named> {
    return this.#with({ isAddition: true });
  }

  get column(): Column<T> {
    return new Column<T>(this.kind.column, this.canBeNull, this.traits.foreignKey, this.initial);
  }

  /** Whether the stored value can be null, whether requests can send that or not. */
  get canBeNull(): boolean {
    return this.traits.absence === 'null' || this.traits.null === 'stored';
  }

  /** The default; undefined: there is none. */
  get initial(): unknown {
    const { absence } = this.traits;
    return typeof absence === 'object' ? absence.default : undefined;
  }

  /** JSON Schema of the value in replies. */
  get output(): JsonSchema {
    const { canBeNull, traits } = this;
    const { foreignKey } = traits;
    const value = foreignKey ? { ...this.kind.output, minimum: 1 } : this.kind.output;
    const schema = canBeNull ? Type.Nullable(value) : value;
    const sentences = this.sentences;
    return { ...schema, ...titled(titleOf(this)), ...(sentences.length > 0 && { description: sentences.join(' ') }) };
  }

  /** The field's description in the documentation. */
  get sentences(): readonly string[] {
    const { description, hint, unit } = this.traits;
    return [
      ...(description === null ? [] : [description]),
      ...(hint === null || unit === null ? [] : [unitSentence(unit).en]),
    ];
  }
}

/** A field without a column: it is not part of the row. */
export class DerivedField<T = unknown, Named extends boolean = boolean> extends Field<T, Named> {
  /** Never set: makes the type differ from `Field`. */
  declare readonly derivation: true;
}

/** Counts code points, as databases and JSON Schema do, not UTF-16 units. */
const exceedsLength = (value: string, length: number): boolean =>
  value.length > 2 * length || (value.length > length && [...value].length > length);

const indexSizeProblem = (value: unknown, name: string): Problem | null =>
  typeof value === 'string' && Buffer.byteLength(value) > maxIndexedBytes
    ? modelProblem(name, sayOfField.maxBytes, maxIndexedBytes)
    : null;

export type Fields = Readonly<Record<string, Field>>;

/** Fields of which each has a label or is hidden. */
export type NamedFields = Readonly<Record<string, Field<unknown, true>>>;

/** The values of a row with these fields. */
export type FieldValues<F extends Fields> = {
  -readonly [K in keyof F as F[K] extends DerivedField ? never : K]: F[K] extends Field<infer T> ? T : never;
};

/** Text of at most 10,000 characters, unless `max` sets another limit. */
export const text = (): Field<string, false> => new Field<string, false>(textKind).max(defaultMaxLength);
/** A 32-bit integer. */
export const integer = (): Field<number, false> => new Field(integerKind);
/** An id or another large integer. */
export const bigint = (): Field<number, false> => new Field(bigintKind);
export const float = (): Field<number, false> => new Field(floatKind);
export const boolean = (): Field<boolean, false> => new Field(booleanKind);
export const time = (): Field<string, false> => new Field(timeKind);
/** One of these values. */
export const oneOf = <const V extends string | number>(...values: V[]): Field<V, false> =>
  new Field<V, false>(choiceKind(values) as Kind<NonNullable<V>>);
/** A field of a kind that is declared elsewhere. */
export const custom = <T>(kind: Kind<NonNullable<T>>): Field<T, false> => new Field<T, false>(kind);
