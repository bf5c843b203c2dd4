import type { Actor, Change, ChangeAction } from '../core/changes.ts';
import type { Event, Origin } from '../core/events.ts';
import { column } from './columns.ts';
import type { Selection, Where } from './scope.ts';
import type { RowOf } from './table.ts';
import { only, table } from './table.ts';

/** Bytes that a row counts beside its two texts. */
export const emptyRowSize = 200;

/** The change log: a row for each announced change, written in its transaction and never updated. [ADR 48] */
export const changeRows = table(
  'changes',
  {
    device_id: column.bigint().references('devices'),
    request: column.text(),
    actor_kind: column.text(),
    actor_user_id: column.bigint().nullable(),
    actor_name: column.text().nullable(),
    actor_via: column.text().nullable(),
    resource: column.text(),
    record_id: column.bigint(),
    action: column.text(),
    /**
     * Size for quotas, in bytes: the two texts and a constant for the rest; 0: no history shows the change. Before the texts, so that SQLite
     * need not read them.
     */
    byte_size: column.integer(),
    before: column.text().nullable(),
    after: column.text().nullable(),
    label: column.text(),
    origin: column.text(),
  },
  {
    reach: 'both',
    indexes: [
      ['device_id', 'id', 'byte_size'],
      ['device_id', 'resource', 'record_id'],
    ],
  },
);

export type ChangeRow = RowOf<typeof changeRows>;

/** Whether a row is a change. The others are for the history only. [rule V23] */
export const isEffective = ({ action }: { readonly action: string }): boolean => action !== 'kept';

/** Selects the rows for which {@link isEffective} holds. */
export const effective = { action: { not: 'kept' } } as const satisfies Where<ChangeRow>;

/** The columns of the log for announcements. */
export const announcedRows = only(
  changeRows,
  'device_id',
  'resource',
  'record_id',
  'action',
  'after',
  'label',
  'origin',
);

export type AnnouncedRow = RowOf<typeof announcedRows>;

/** The columns of the log for trimming. */
export const changeSizes = only(changeRows, 'device_id', 'resource', 'byte_size');

/** The changes that the history shows. */
export const shownChanges = { byte_size: { gt: emptyRowSize } };

/**
 * The other ones, logged for delivery only: of kinds of records without a history, of records that one request created and deleted, and
 * deletions by a reset. Earlier versions gave some of them the size of an empty row.
 */
export const unshownChanges = { byte_size: { lte: emptyRowSize } };

/** Rows of the log, and its rows that the history shows, with their bytes. */
export interface LogTotals {
  readonly rows: number;
  readonly shownRows: number;
  readonly shownBytes: number;
}

const isShown = `"byte_size" > ${emptyRowSize}`;

/** Selects the totals of the rows of a device; none if there are no rows. */
export const logTotals: Selection<LogTotals> = {
  key: 'totals',
  expressions: [
    'count(*)',
    `sum(case when ${isShown} then 1 else 0 end)`,
    `sum(case when ${isShown} then "byte_size" else 0 end)`,
  ],
  groupBy: '"device_id"',
  read: ([rows, shownRows, shownBytes]) => ({
    rows: Number(rows),
    shownRows: Number(shownRows),
    shownBytes: Number(shownBytes),
  }),
};

/** The part of a change for announcements. */
export type AnnouncedChange = Omit<Change, 'request' | 'actor' | 'before'>;

/** Converts a row to a change as announcements need it. */
export const toAnnounced = (row: AnnouncedRow): AnnouncedChange => ({
  id: row.id,
  deviceId: row.device_id,
  at: row.created_at,
  resource: row.resource,
  recordId: row.record_id,
  action: row.action as ChangeAction,
  after: row.after,
  label: row.label,
  origin: row.origin as Origin,
});

/** Converts a change to the event that listeners receive. */
export const toEvent = ({ id, deviceId, resource, recordId, label, origin, after }: AnnouncedChange): Event => ({
  id,
  deviceId,
  resource,
  recordId,
  label,
  origin,
  body: after,
});

/** Returns the change of a row as readers of the log receive it. */
export const changeOf = (
  row: Omit<ChangeRow, 'id' | 'device_id' | 'updated_at'>,
  id: number,
  deviceId: number,
): Change => ({
  id,
  deviceId,
  at: row.created_at,
  request: row.request,
  actor: {
    kind: row.actor_kind as Actor['kind'],
    user_id: row.actor_user_id,
    name: row.actor_name,
    via: row.actor_via,
  },
  resource: row.resource,
  recordId: row.record_id,
  action: row.action as ChangeAction,
  before: row.before,
  after: row.after,
  label: row.label,
  origin: row.origin as Origin,
});

/** Converts a stored row. */
export const toChange = (row: ChangeRow): Change => changeOf(row, row.id, row.device_id);
