import type { TSchema } from 'typebox';
import Type from 'typebox';
import type { ForeignKey } from '../db/columns.ts';
import { Column } from '../db/columns.ts';
import type { DialectName } from '../db/dialect.ts';
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

/** Characters of a text for which no other limit is declared: every list is held in memory whole, however long its texts are. */
const defaultMaxLength = 10_000;

/** Bytes of a text in a unique index: PostgreSQL indexes no more than 2,704. */
const maxIndexedBytes = 2000;

/** Which requests may set a field. */
export type Writability = 'always' | 'on create' | 'on update' | 'never';

/** An SQL expression: the same on both engines, or one for each. */
export type SqlExpression = string | Readonly<Record<DialectName, string>>;

type Check = (value: never, name: string) => Problem | null;

interface Traits {
  readonly isRequired: boolean;
  /** Null is stored; else it counts as not sent. [decision 5] */
  readonly isNullable: boolean;
  /** The column may hold null though requests cannot put it there. */
  readonly canBeNull: boolean;
  /** Where a null is a failure though the field is optional. */
  readonly rejectsNull: 'always' | 'on create' | null;
  /** What "" becomes: a failure (most fields), null, or itself. */
  readonly empty: 'refused' | 'null' | 'kept';
  readonly writability: Writability;
  readonly default: unknown;
  readonly isShown: boolean;
  /** An SQL expression that is shown instead of the column. */
  readonly shownAs: SqlExpression | null;
  /** Exists only as an SQL expression. */
  readonly isDerived: boolean;
  /** The kinds of a resource with variants that show it; null: all. */
  readonly variants: readonly string[] | null;
  readonly foreignKey: ForeignKey | null;
  /** What happens to an id that is no own record: a failure under this key, null is stored silently, or 404. */
  readonly ownership: { readonly key: string } | 'null' | 'not found' | null;
  readonly isUnique: boolean;
  /** The limit of a text. */
  readonly length: Check | null;
  readonly checks: readonly Check[];
  /** Additions to the schema of what may be sent (limits). */
  readonly limits: object;
  readonly description: string | null;
}

const defaultTraits: Traits = {
  isRequired: false,
  isNullable: false,
  canBeNull: false,
  rejectsNull: null,
  empty: 'refused',
  writability: 'always',
  default: undefined,
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
};

/** One field of a resource: column, input rules, output and documentation in one. `T` is the value in rows. Immutable: each method gives a new field. */
export class Field<T = unknown> {
  readonly kind: Kind<NonNullable<T>>;
  readonly traits: Traits;

  constructor(kind: Kind<NonNullable<T>>, traits: Traits = defaultTraits) {
    this.kind = kind;
    this.traits = traits;
  }

  #with<U = T>(traits: Partial<Traits>): Field<U> {
    return new Field<U>(this.kind as Kind<unknown> as Kind<NonNullable<U>>, { ...this.traits, ...traits });
  }

  /** Must be sent on create. */
  required(): Field<T> {
    return this.#with({ isRequired: true });
  }
  /** Null may be sent and is stored; unset fields hold null. */
  nullable(): Field<T | null> {
    return this.#with({ isNullable: true, canBeNull: true });
  }
  /** May hold null while nothing was sent, but a null that is sent counts as not sent. */
  nullByDefault(): Field<T | null> {
    return this.#with({ canBeNull: true });
  }
  /** May be left out, but a null that is sent is refused. */
  notNull(when: 'always' | 'on create' = 'always'): Field<T> {
    return this.#with({ rejectsNull: when });
  }
  /** "" stores null. */
  emptyAsNull(): Field<T> {
    return this.#with({ empty: 'null' });
  }
  /** "" is a value. */
  emptyAllowed(): Field<T> {
    return this.#with({ empty: 'kept' });
  }
  /** What a new record holds when nothing was sent. */
  default(value: NonNullable<T>): Field<T> {
    return this.#with({ default: value });
  }
  /** Set by the server only; ignored in requests. */
  readOnly(): Field<T> {
    return this.#with({ writability: 'never' });
  }
  onCreateOnly(): Field<T> {
    return this.#with({ writability: 'on create' });
  }
  /** Read on update only. A derived field of this sort is a hint: the schema says it, and a hook reads it from the body. */
  onUpdateOnly(): Field<T> {
    return this.#with({ writability: 'on update' });
  }
  /** Stored, never shown. */
  hidden(): Field<T> {
    return this.#with({ isShown: false });
  }
  /** Shows an SQL expression over the row instead of the stored value. */
  shownAs(expression: string): Field<T> {
    return this.#with({ shownAs: expression });
  }
  /** No column: only an SQL expression over the row (refer to columns as `table.column`). */
  derived(expression: SqlExpression): DerivedField<T> {
    const writability = this.traits.writability === 'on update' ? 'on update' : 'never';
    return new DerivedField(this.kind, { ...this.traits, shownAs: expression, isDerived: true, writability });
  }
  /** Shown for these variants only. */
  onlyFor(...variants: string[]): Field<T> {
    return this.#with({ variants });
  }
  /** An id of another table. With `key` it must be an own record, else 422 under that key; `'null'` stores null for what is none; `'not found'` answers 404. [decisions 14, 29] */
  references(table: string, onDelete: ForeignKey['onDelete'], ownership: NonNullable<Traits['ownership']>): Field<T> {
    return this.#with({ foreignKey: { table, onDelete }, ownership });
  }
  /** No two records of one device may have the same value. Told under `error`. Texts fit into the index: 2,000 bytes. */
  unique(): Field<T> {
    const unique = this.#with({ isUnique: true });
    const { maxLength } = this.traits.limits as { maxLength?: number };
    if (maxLength === undefined) return unique;
    return unique.check(indexSizeProblem, { maxLength: Math.min(maxLength, maxIndexedBytes) });
  }
  /** At most this many characters instead of the usual 10,000; told under `error` (the column's limit) unless `level` says `field`. */
  max(length: number, level: 'field' | 'model' = 'model'): Field<T> {
    const tell = level === 'field' ? fieldProblem : modelProblem;
    return this.#with({
      length: (value: unknown, name) =>
        typeof value === 'string' && exceedsLength(value, length)
          ? tell(name, `is too long (at most ${length} characters)`)
          : null,
      limits: { ...this.traits.limits, maxLength: length },
    });
  }
  /** A number within these bounds. `level` says whether the refusal is told under the field's key or under `error`. */
  range(low: number, high: number, level: 'field' | 'model' = 'field'): Field<T> {
    const tell = level === 'field' ? fieldProblem : modelProblem;
    return this.check(
      (value, name) => {
        if (typeof value !== 'number') return null;
        if (value < low) return tell(name, `is too small (at least ${low})`);
        return value > high ? tell(name, `is too big (at most ${high})`) : null;
      },
      { minimum: low, maximum: high },
    );
  }
  /** A rule of its own. `limits` is added to the published schema when it can say the same. */
  check(rule: (value: NonNullable<T>, name: string) => Problem | null, limits: object = {}): Field<T> {
    return this.#with({
      checks: [...this.traits.checks, rule as Check],
      limits: { ...this.traits.limits, ...limits },
    });
  }
  /** A sentence for the documentation. */
  describe(description: string): Field<T> {
    return this.#with({ description });
  }

  get column(): Column<T> {
    return new Column<T>(this.kind.column, this.traits.canBeNull, this.traits.foreignKey);
  }

  /** JSON Schema of the value in answers. */
  get output(): TSchema {
    const schema = this.traits.canBeNull ? Type.Union([this.kind.output, Type.Null()]) : this.kind.output;
    return this.traits.description ? { ...schema, description: this.traits.description } : schema;
  }
}

/** A field without a column: it stands in no row. Say everything else about it before `derived`. */
export class DerivedField<T = unknown> extends Field<T> {
  /** Phantom: tells the two apart. */
  declare readonly derivation: true;
}

/** Counted in characters, as databases and JSON Schema count, not in UTF-16 units. */
const exceedsLength = (value: string, length: number): boolean =>
  value.length > 2 * length || (value.length > length && [...value].length > length);

const indexSizeProblem = (value: unknown, name: string): Problem | null =>
  typeof value === 'string' && Buffer.byteLength(value) > maxIndexedBytes
    ? modelProblem(name, `is too long (at most ${maxIndexedBytes} bytes)`)
    : null;

export type Fields = Readonly<Record<string, Field>>;

/** The values of a row with these fields; derived ones have no column. */
export type FieldValues<F extends Fields> = {
  -readonly [K in keyof F as F[K] extends DerivedField ? never : K]: F[K] extends Field<infer T> ? T : never;
};

/** At most 10,000 characters unless `max` says otherwise. */
export const text = (): Field<string> => new Field(textKind).max(defaultMaxLength);
/** 32 bits; beyond them the refusal is told under `error`. */
export const integer = (): Field<number> => new Field(integerKind);
/** Ids and other large whole numbers. */
export const bigint = (): Field<number> => new Field(bigintKind);
export const float = (): Field<number> => new Field(floatKind);
export const boolean = (): Field<boolean> => new Field(booleanKind);
export const time = (): Field<string> => new Field(timeKind);
/** One of these values, else 422 under the field's key. */
export const oneOf = <const V extends string | number>(...values: V[]): Field<V> =>
  new Field<V>(choiceKind(values) as Kind<NonNullable<V>>);
/** A field of a kind that a room declares itself. */
export const custom = <T>(kind: Kind<NonNullable<T>>): Field<T> => new Field<T>(kind);
