import type { DeviceScope, Selection } from './scope.ts';

/** Reads the JSON of records by id; deleted ones are omitted. */
export type RecordReader = (scope: DeviceScope, ids: readonly number[]) => Promise<Map<number, string>>;

/** The change log's knowledge of the rows of a table. */
export interface AnnouncedTable {
  /** Their name in the log. */
  readonly resource: string;
  /** Selects ids and JSON, for the states before changes; null if the log does not read them by itself. */
  readonly states: Selection<readonly [number, string]> | null;
}

/** The kinds of records whose changes are logged. */
export interface AnnouncedRecords {
  /** Reads the JSON of records of one logged kind. */
  read(scope: DeviceScope, resource: string, ids: readonly number[]): Promise<Map<number, string>>;
  /** Returns the knowledge of a table; undefined if changes of its rows are not logged. */
  ofTable(name: string): AnnouncedTable | undefined;
  /** Whether changes of this kind are logged with the state before. The others are logged for delivery only. */
  isHistory(resource: string): boolean;
  /** The kinds of which that is not so. */
  readonly deliveredOnly: readonly string[];
}

/** No kinds of records, for databases without a log. */
export const noRecords: AnnouncedRecords = {
  read: async () => new Map(),
  ofTable: () => undefined,
  isHistory: () => false,
  deliveredOnly: [],
};
