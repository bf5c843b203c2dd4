import type { FieldFailures } from '../core/errors.ts';
import { column } from '../db/columns.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { StandardColumns, Table } from '../db/table.ts';
import { table } from '../db/table.ts';
import type { Field, Fields, FieldValues } from './fields.ts';

/** A row of a resource's table. Fields with an SQL expression only are not in it. */
export type RecordRow<F extends Fields> = StandardColumns & { device_id: number } & FieldValues<F>;

/** What a request's body says, after filters and defaults: on create every field, on update those that were sent. */
export type Input<F extends Fields> = Partial<FieldValues<F>>;

export type Action = 'list' | 'show' | 'create' | 'update' | 'destroy';

/** What special resources add to the common behaviour. All run inside the request's transaction. */
export interface Hooks<F extends Fields> {
  /**
   * Looks at the filtered input of a create (`before` undefined) or an update and may change it (assign to `input`).
   * Gives failures by field, which join those of ownership. `body` is the raw object for what fields cannot say.
   */
  prepare?(
    scope: DeviceScope,
    input: Input<F>,
    before: RecordRow<F> | undefined,
    body: Readonly<Record<string, unknown>>,
  ): Promise<FieldFailures | undefined> | FieldFailures | undefined;
  /** Throws if the record is in use. */
  beforeDestroy?(scope: DeviceScope, row: RecordRow<F>): Promise<void>;
}

export interface ResourceOptions<F extends Fields> {
  /** What it is, in one sentence, for the documentation. */
  description: string;
  fields: F;
  /** The routes that the engine serves, of `list show create update destroy`. */
  routes?: string;
  /** Its name in announcements; null: never announced. */
  announced: string | null;
  /** `page` and `per` are honoured in lists. */
  paginated?: boolean;
  /** What a destroy answers. */
  destroyReply?: 'object' | 'empty';
  /** Lists show the newest first instead of ascending ids. */
  newestFirst?: boolean;
  /** At most so many (the newest) are listed when no page is asked for, and kept. */
  maxKept?: number;
  /** At most so many per device, else 422 under `key`; checked on create. [decision 15] */
  limit?: { count: number; key: string };
  /** `created_at` is shown in seconds since the epoch. [Spec Shared conventions 2] */
  createdAt?: 'seconds';
  /** Whether `device_id` is shown. */
  showsDevice?: boolean;
  /** The field whose value decides which fields are shown. */
  discriminator?: string;
  /** Its key in `device/sync`; `empty` lists nothing there. */
  sync?: 'listed' | 'empty';
  /** Columns that must be null for a row to be listed there. [decision 8] */
  syncWhere?: { readonly [column: string]: null };
  /** How bodies are read: by the field filters, or by the looser casts. */
  coercion?: 'filter' | 'cast';
  /** Every update moves `updated_at` and is announced, also one that changes nothing. [reference] */
  announcesEveryUpdate?: true;
  /** Further unique sets of columns. */
  uniqueTogether?: readonly (readonly string[])[];
  indexes?: readonly (readonly string[])[];
  hooks?: Hooks<F>;
  /** Not part of the Spec. */
  addition?: true;
}

/** A resource: the one declaration from which everything about it follows. */
export interface Resource<F extends Fields = Fields> extends Table<RecordRow<F>, 'device'> {
  readonly fields: F;
  readonly options: ResourceOptions<F>;
  /** One record, in sentences: `webcam_feeds` → `Webcam feed`. */
  readonly singular: string;
}

/** Any resource, where its fields do not matter. Hooks make resources invariant in their fields, so this is a view without them. */
export type AnyResource = Omit<Resource, 'options' | 'fields' | 'row'> & {
  readonly fields: Fields;
  readonly options: Omit<ResourceOptions<Fields>, 'hooks' | 'fields'>;
  readonly row?: { id: number; created_at: string; updated_at: string; device_id: number };
};

/** Declares a resource. Its table bears its name. */
export function resource<const F extends Fields>(name: string, options: ResourceOptions<F>): Resource<F> {
  const columns: Record<string, Field['column']> = {};
  for (const [field, { column, traits }] of Object.entries(options.fields))
    if (!traits.isDerived) columns[field] = column;
  const unique = Object.entries(options.fields)
    .filter(([, { traits }]) => traits.isUnique)
    .map(([field]) => ['device_id', field]);
  const all = [...unique, ...(options.uniqueTogether ?? [])];
  const indexes = [...(options.indexes ?? [])];
  // Every list asks for the rows of one device.
  if (![...all, ...indexes].some(([first]) => first === 'device_id')) indexes.unshift(['device_id']);
  const base = table(name, { device_id: ownerColumn, ...columns }, { reach: 'device', unique: all, indexes });
  const declared: Omit<Resource<F>, keyof Table> = { fields: options.fields, options, singular: singularOf(name) };
  return { ...(base as Table<RecordRow<F>, 'device'>), ...declared };
}

const ownerColumn = column.bigint().references('devices');

/** One record of a table, as people say it: `webcam_feeds` → `Webcam feed`. */
export function singularOf(name: string): string {
  const words = name.replaceAll('_', ' ').replace(/ies$/, 'y').replace(/s$/, '');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
