import { capitalized } from '../core/capital-letters.ts';
import type { FieldFailures } from '../core/errors.ts';
import type { QuotaOf } from '../core/quotas.ts';
import { column } from '../db/columns.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { StandardColumns, Table } from '../db/table.ts';
import { table } from '../db/table.ts';
import type { FieldGroup } from './field-groups.ts';
import type { Field, Fields, FieldValues, NamedFields } from './fields.ts';
import type { TagName } from './tags.ts';

/** A row of a resource's table, without derived fields. */
export type RecordRow<F extends Fields> = StandardColumns & { device_id: number } & FieldValues<F>;

/** The parsed values of a request: on create all fields, on update the sent ones. */
export type Input<F extends Fields> = Partial<FieldValues<F>>;

/**
 * The maximum number of records of a garden: a number, checked with every insert; the newest that are kept, and listed if no page is
 * requested; the newest by a limit of the device, which the room deletes; or the records that a quota counts. [ADR 91]
 */
export type MaxRecords =
  | number
  | { readonly kept: number }
  | { readonly keptBy: string }
  | { readonly quota: QuotaOf<'stored'> };

export type Action = 'list' | 'show' | 'create' | 'update' | 'destroy';

/** Callbacks that run inside the request's transaction. */
export interface Hooks<F extends Fields> {
  /**
   * Checks the parsed input of a create (`before` is undefined) or an update, and may assign to it. Returns failures by
   * field. `body` is the body as it was sent.
   */
  prepare?(
    scope: DeviceScope,
    input: Input<F>,
    before: RecordRow<F> | undefined,
    body: Readonly<Record<string, unknown>>,
  ): Promise<FieldFailures | undefined> | FieldFailures | undefined;
  /** Throws 422 if the record is in use. */
  beforeDestroy?(scope: DeviceScope, row: RecordRow<F>): Promise<void>;
  /** Called when a request created records. */
  afterCreate?(scope: DeviceScope, rows: readonly RecordRow<F>[]): Promise<void>;
  /** Called when a request deleted records; not for trimmed ones. */
  afterDestroy?(scope: DeviceScope, rows: readonly RecordRow<F>[]): Promise<void>;
}

export interface ResourceOptions<F extends Fields> {
  /** One sentence for the documentation. */
  description: string;
  fields: F;
  /** Groups of its fields, for forms. */
  groups?: readonly FieldGroup[];
  /** The group of its operations in the documentation. */
  tag: TagName;
  /** A valid body of a create, or of an update of a singleton: for the documentation and for tests. */
  example?: Readonly<Record<string, unknown>>;
  /** Fields of the record that follows from it, where they are neither sent nor defaults. */
  shownExample?: Readonly<Record<string, unknown>>;
  /** The actions that the engine serves. */
  routes?: readonly Action[];
  /** The resource's name in the change log, and so in announcements, event streams, webhooks and the history; null: its changes are not logged. [rule V22] */
  changeLogName: string | null;
  /** Changes are logged for delivery only, not for the history: measurements and reports of robots, and the settings of a page. */
  isHistory?: false;
  /** Changes are not announced to clients of the broker, which do not expect them. [rule V22] */
  isPublished?: false;
  /** Lists take the query parameters `page` and `per`. */
  paginated?: boolean;
  /** Fields whose values a list takes as query parameters, and selects the records with them. */
  filters?: readonly (keyof F & string)[];
  /** The reply of a delete: the deleted record, or an empty body. [rule V20] */
  destroyReply?: 'object' | 'empty';
  /** Lists are ordered newest first instead of by id. */
  newestFirst?: boolean;
  max: MaxRecords;
  /** The key of the 422 beyond `max`; by default the name of one record with `_count`: of tools, `tool_count`. */
  maxKey?: string;
  /** A sentence about the maximum, for the documentation. */
  maxNote?: string;
  /** `created_at` is shown in seconds since the epoch. [rule V17] */
  createdAt?: 'seconds';
  /** Whether `device_id` is shown. */
  showsDevice?: boolean;
  /** The field whose value selects the fields that are shown. */
  discriminator?: string;
  /** Present in `device/sync`; `empty`: with an empty list. */
  sync?: 'listed' | 'empty';
  /** Columns that must be null for a row to be listed in `device/sync`. [decision 8] */
  syncWhere?: { readonly [column: string]: null };
  /** The conversion of values: by {@link Kind.parse} or the looser {@link Kind.cast}. */
  coercion?: 'parse' | 'cast';
  /** Robots send their copy of a record without the time of its version. [rule V23] */
  isSentWithoutTime?: true;
  /** An update that changes nothing moves `updated_at` and is announced, too. [rule V18] */
  announcesEveryUpdate?: true;
  /** Further unique sets of columns. */
  uniqueTogether?: readonly (readonly string[])[];
  indexes?: readonly (readonly string[])[];
  /** Its records have files, which are deleted with them, so that a deleted record cannot come back. */
  hasFiles?: true;
  /** Tables of other resources that are part of a record's JSON, besides referenced ones. */
  shows?: readonly string[];
  /** Some changes of its records are not logged. */
  hasUnloggedChanges?: true;
  /**
   * Returns the values of fields that a record from before the fields existed lacks: of exports, and of the history.
   * `firmwareHardware`: the value of the garden's robot. [ADR 105]
   */
  earlierValues?: (
    record: Readonly<Record<string, unknown>>,
    firmwareHardware: unknown,
  ) => Readonly<Record<string, unknown>>;
  /** Not part of an exported account. */
  exported?: false;
  hooks?: Hooks<F>;
  /** An addition of Potager's to the API; the documentation says so. */
  addition?: true;
}

/** The declaration of a resource, from which its table, routes, JSON, schemas and announcements are derived. */
export interface Resource<F extends Fields = Fields> extends Table<RecordRow<F>, 'device'> {
  readonly fields: F;
  readonly options: ResourceOptions<F>;
  /** The name of one record: `webcam_feeds` → `Webcam feed`. */
  readonly singular: string;
}

/** Any resource. Hooks, which would make the type invariant in the fields, are omitted. */
export type AnyResource = Omit<Resource, 'options' | 'fields' | 'row'> & {
  readonly fields: Fields;
  readonly options: Omit<ResourceOptions<Fields>, 'hooks' | 'fields'>;
  readonly row?: { id: number; created_at: string; updated_at: string; device_id: number };
};

/** Declares a resource. `name` is also the name of its table and of its path under `/api`. */
export function resource<const F extends Fields>(
  name: string,
  options: ResourceOptions<F> & { readonly fields: NamedFields },
): Resource<F> {
  const columns: Record<string, Field['column']> = {};
  for (const [field, { column, traits }] of Object.entries(options.fields))
    if (!traits.isDerived) columns[field] = column;
  const unique = Object.entries(options.fields)
    .filter(([, { traits }]) => traits.isUnique)
    .map(([field]) => ['device_id', field]);
  const all = [...unique, ...(options.uniqueTogether ?? [])];
  const indexes = [...(options.indexes ?? [])];
  // Every list selects by device.
  if (![...all, ...indexes].some(([first]) => first === 'device_id')) indexes.unshift(['device_id']);
  const { max, maxKey = `${singularOf(name).toLowerCase().replaceAll(' ', '_')}_count` } = options;
  const base = table(
    name,
    { device_id: ownerColumn, ...columns },
    { reach: 'device', unique: all, indexes, ...(typeof max === 'number' && { maximum: { rows: max, key: maxKey } }) },
  );
  const declared: Omit<Resource<F>, keyof Table> = { fields: options.fields, options, singular: singularOf(name) };
  return { ...(base as Table<RecordRow<F>, 'device'>), ...declared };
}

/** Returns the number of the newest records of a resource that are kept; null: all. */
export const maxKept = ({ options: { max } }: AnyResource): number | null =>
  typeof max === 'object' && 'kept' in max ? max.kept : null;

/** Returns the values of fields that are younger than a record; none where the record has one of them. `firmwareHardware`: see {@link ResourceOptions.earlierValues}. */
export function valuesBefore(
  { options }: AnyResource,
  record: Readonly<Record<string, unknown>>,
  firmwareHardware: unknown,
): Readonly<Record<string, unknown>> {
  const values = options.earlierValues?.(record, firmwareHardware) ?? {};
  return Object.keys(values).some((name) => name in record) ? {} : values;
}

/** Returns the sentence of the documentation about the maximum. */
export function describeMaximum({ options: { max, maxNote } }: AnyResource): string {
  const note = maxNote ? ` ${maxNote}` : '';
  if (typeof max === 'number') return `A garden has at most ${max}.${note}`;
  if ('kept' in max) return `The newest ${max.kept} are kept.`;
  if ('keptBy' in max) return `The newest are kept, as many as \`${max.keptBy}\` of the device.${note}`;
  return `The quota \`${max.quota}\` limits them.`;
}

const ownerColumn = column.bigint().references('devices');

/** Returns the tables of the records that a record's JSON contains or refers to, its own included. */
export const tablesShownBy = ({ name, fields, options }: AnyResource): readonly string[] => {
  const references = Object.values(fields).flatMap(({ traits }) => traits.foreignKey?.table ?? []);
  return [...new Set([name, ...references, ...(options.shows ?? [])])];
};

/** Returns {@link tablesShownBy} if their logged changes alone change the records of the resource; null if other things do. [ADR 65] */
export function tagTables(resource: AnyResource): readonly string[] | null {
  const { changeLogName, isHistory, hasUnloggedChanges } = resource.options;
  const isLogged = changeLogName !== null && isHistory !== false && !hasUnloggedChanges && maxKept(resource) === null;
  return isLogged ? tablesShownBy(resource) : null;
}

/** Returns the name of one record of a table: `webcam_feeds` → `Webcam feed`. */
export function singularOf(name: string): string {
  return capitalized(name.replaceAll('_', ' ').replace(/ies$/, 'y').replace(/s$/, ''));
}
