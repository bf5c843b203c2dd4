import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, timestamp } from '../core/clock.ts';
import { isObject } from '../core/json.ts';
import type { GardenRecord } from './garden-reader.ts';
import { StepError } from './nodes.ts';
import { type RobotApi, RobotError } from './robot-api.ts';

/** The tables of a robot, in the order in which it fetches them, with the names of their announcements. */
const tables = {
  devices: 'Device',
  fbos_configs: 'FbosConfig',
  firmware_configs: 'FirmwareConfig',
  farmware_envs: 'FarmwareEnv',
  peripherals: 'Peripheral',
  points: 'Point',
  sensor_readings: 'SensorReading',
  sensors: 'Sensor',
  tools: 'Tool',
  sequences: 'Sequence',
  point_groups: 'PointGroup',
  regimens: 'Regimen',
  pin_bindings: 'PinBinding',
  farm_events: 'FarmEvent',
} as const;
type TableName = keyof typeof tables;
const names = Object.keys(tables).filter((name): name is TableName => Object.hasOwn(tables, name));

/** Tables of one record. */
const singular: Readonly<Partial<Record<TableName, string>>> = {
  devices: '/api/device.json',
  fbos_configs: '/api/fbos_config.json',
  firmware_configs: '/api/firmware_config.json',
};

/** Tables whose records are uploaded, with the fields that are sent. */
const uploads = {
  farmware_envs: ['id', 'key', 'value'],
  points: [
    'id',
    'meta',
    'name',
    'plant_stage',
    'depth',
    'created_at',
    'updated_at',
    'planted_at',
    'water_curve_id',
    'spread_curve_id',
    'height_curve_id',
    'pointer_type',
    'radius',
    'tool_id',
    'discarded_at',
    'gantry_mounted',
    'openfarm_slug',
    'pullout_direction',
    'x',
    'y',
    'z',
  ],
} as const;
type UploadedTable = keyof typeof uploads;

/** Pause after each record that is fetched, in ms: about 200 a second. */
const fetchPause = 4;

/** The settings and variables of an account. */
export interface AccountRows {
  readonly fbosConfig: unknown;
  readonly firmwareConfig: unknown;
  readonly farmwareEnvs: unknown;
}

export interface LocalCopyOptions {
  readonly api: Pick<RobotApi, 'get' | 'request'>;
  readonly clock: Clock;
  /** Prints a line for the operator of the robot. */
  readonly print: (line: string) => void;
  /** Pause before each upload of a record, in ms. */
  readonly uploadPause: number;
}

/**
 * The copy of an account that OS 15.4 keeps: it fetches each record by itself, and one marked record makes it upload all
 * records of the table, one after the other, as they were when it began. [rule R33]
 */
export class LocalCopy {
  readonly #options: LocalCopyOptions;
  readonly #rows: ReadonlyMap<TableName, Map<number, GardenRecord>>;
  /** The ids of records that wait for their upload. */
  readonly #marked: Record<UploadedTable, Set<number>> = { farmware_envs: new Set(), points: new Set() };
  readonly #ended = new AbortController();

  constructor(options: LocalCopyOptions) {
    this.#options = options;
    this.#rows = new Map(names.map((name) => [name, new Map()]));
    void this.#uploadForEver('farmware_envs');
    void this.#uploadForEver('points');
  }

  /** Ends fetching and uploading. */
  end(): void {
    this.#ended.abort();
  }

  /** Fetches new and newer records, one at a time. Throws {@link RobotError}; the records fetched before are kept. */
  async fetch(): Promise<AccountRows> {
    const listed = await this.#options.api.get('/api/device/sync.json');
    for (const table of names) {
      const pairs = isObject(listed) && Array.isArray(listed[table]) ? listed[table] : [];
      await this.#fetchTable(table, new Map(pairs));
    }
    const all = (table: TableName) => [...this.#table(table).values()];
    const [fbosConfig] = all('fbos_configs');
    const [firmwareConfig] = all('firmware_configs');
    return { fbosConfig, firmwareConfig, farmwareEnvs: all('farmware_envs') };
  }

  async #fetchTable(table: TableName, listed: ReadonlyMap<number, string>): Promise<void> {
    const rows = this.#table(table);
    for (const id of rows.keys()) if (!listed.has(id)) rows.delete(id);
    for (const [id, updatedAt] of listed) {
      if (this.#ended.signal.aborted) return;
      if (String(rows.get(id)?.updated_at ?? '') >= updatedAt) continue;
      const row = await this.#options.api.get(singular[table] ?? `/api/${table}/${id}.json`);
      if (isObject(row)) rows.set(id, row);
      await sleep(fetchPause);
    }
  }

  /** Applies an announced change; `body` is null if the record was deleted. */
  applyChange(resource: string, id: number, body: unknown): void {
    const table = names.find((name) => tables[name] === resource);
    if (table === undefined) return;
    if (isObject(body)) this.#table(table).set(id, body);
    else this.#table(table).delete(id);
  }

  /** Changes a record, and uploads it soon. Throws {@link StepError} if it is not there. */
  mark(table: UploadedTable, id: number, fields: object): void {
    const row = this.#table(table).get(id);
    if (!row) throw new StepError(`${tables[table]} ${id} is not synced.`);
    this.#table(table).set(id, { ...row, ...fields, updated_at: timestamp(this.#options.clock.now()) });
    this.#marked[table].add(id);
  }

  async #uploadForEver(table: UploadedTable): Promise<void> {
    const { signal } = this.#ended;
    const pause = () => sleep(this.#options.uploadPause, undefined, { signal });
    try {
      for (;;) {
        await pause();
        const marked = this.#marked[table];
        if (marked.size === 0) continue;
        this.#marked[table] = new Set();
        for (const [id, row] of [...this.#table(table)]) {
          await pause();
          if (!(await this.#upload(table, id, row)) && marked.has(id)) this.#marked[table].add(id);
        }
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Uploads a record as it was, and keeps the response. Returns whether there was one. */
  async #upload(table: UploadedTable, id: number, row: GardenRecord): Promise<boolean> {
    const { api, print } = this.#options;
    const rows = this.#table(table);
    const body = Object.fromEntries(uploads[table].map((field) => [field, row[field] ?? null]));
    try {
      const stored = await api.request('PATCH', `/api/${table}/${id}`, body);
      // A row that was announced or marked in between is newer.
      if (isObject(stored) && rows.get(id) === row) rows.set(id, stored);
    } catch (error) {
      if (!(error instanceof RobotError)) throw error;
      print(`Could not upload ${tables[table]} ${id}: ${error.message}`);
      if (error.status === null) return false;
      rows.delete(id);
    }
    return true;
  }

  #table(name: TableName): Map<number, GardenRecord> {
    const rows = this.#rows.get(name);
    if (!rows) throw new Error(`There is no table ${name}.`);
    return rows;
  }
}
