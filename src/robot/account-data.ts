import type { Configuration, McuParams, SyncStatus } from 'farmbot';
import { isObject } from '../core/json.ts';
import type { AccountRows, LocalCopy } from './local-copy.ts';
import type { RobotApi } from './robot-api.ts';

/** Columns that are not settings. */
const otherColumns = ['id', 'device_id', 'created_at', 'updated_at', 'api_migrated'];

/** The logs of sequences that the account's settings enable. [rule R16] */
export interface SequenceLogs {
  /** `sequence_init_log` */
  readonly begin: boolean;
  /** `sequence_body_log` */
  readonly steps: boolean;
  /** `sequence_complete_log` */
  readonly end: boolean;
}

type Settings = Readonly<Record<string, unknown>>;

const settingsIn = (row: unknown): Settings =>
  isObject(row) ? Object.fromEntries(Object.entries(row).filter(([name]) => !otherColumns.includes(name))) : {};

/** The robot's copy of its account's settings and environment variables. */
export class AccountData {
  readonly #api: RobotApi;
  readonly #copy: LocalCopy | null;
  #os: Settings = {};
  #firmware: Settings = {};
  readonly #environment = new Map<string, { readonly id: number; readonly value: string }>();
  #status: SyncStatus = 'booting';

  /** `copy`: the account's copy in OS 15.4. */
  constructor(api: RobotApi, copy: LocalCopy | null = null) {
    this.#api = api;
    this.#copy = copy;
  }

  get status(): SyncStatus {
    return this.#status;
  }

  get configuration(): Configuration {
    return this.#os;
  }

  get firmware(): McuParams {
    return Object.fromEntries(
      Object.entries(this.#firmware).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
    );
  }

  /** Values by name. */
  get environment(): Record<string, string> {
    return Object.fromEntries([...this.#environment].map(([name, { value }]) => [name, value]));
  }

  /** Returns a setting in mm; 0 if it is not set. */
  height(name: 'safe_height' | 'soil_height'): number {
    const value = this.#os[name];
    return typeof value === 'number' ? value : 0;
  }

  get sequenceLogs(): SequenceLogs {
    const { sequence_init_log, sequence_body_log, sequence_complete_log } = this.#os;
    return {
      begin: sequence_init_log === true,
      steps: sequence_body_log === true,
      end: sequence_complete_log === true,
    };
  }

  /** The sequence that the robot runs when it starts; null: none. */
  get bootSequence(): number | null {
    const value = this.#os.boot_sequence_id;
    return typeof value === 'number' ? value : null;
  }

  get axisOrder(): string {
    const value = this.#os.default_axis_order;
    return typeof value === 'string' ? value : 'xy,z;high';
  }

  /** Fetches everything, in the order of a real robot. Calls `changed` when the status changes. Throws `RobotError`. */
  async sync(changed: () => void): Promise<void> {
    this.#status = 'syncing';
    changed();
    try {
      const { fbosConfig, firmwareConfig, farmwareEnvs } = await (this.#copy?.fetch() ?? this.#fetch());
      this.#os = settingsIn(fbosConfig);
      this.#firmware = settingsIn(firmwareConfig);
      this.#environment.clear();
      for (const row of Array.isArray(farmwareEnvs) ? farmwareEnvs : []) this.#keep(row);
      this.#status = 'synced';
    } catch (error) {
      this.#status = 'sync_error';
      throw error;
    } finally {
      changed();
    }
  }

  async #fetch(): Promise<AccountRows> {
    await this.#api.get('/api/device/sync.json');
    await this.#api.get('/api/device');
    return {
      fbosConfig: await this.#api.get('/api/fbos_config.json'),
      firmwareConfig: await this.#api.get('/api/firmware_config.json'),
      farmwareEnvs: await this.#api.get('/api/farmware_envs'),
    };
  }

  /** Applies an announced change; `body` is null if the record was deleted. */
  applyChange(resource: string, id: number, body: unknown): void {
    this.#copy?.applyChange(resource, id, body);
    if (resource === 'FbosConfig' && isObject(body)) this.#os = settingsIn(body);
    else if (resource === 'FirmwareConfig' && isObject(body)) this.#firmware = settingsIn(body);
    else if (resource === 'FarmwareEnv') {
      for (const [name, known] of this.#environment) if (known.id === id) this.#environment.delete(name);
      this.#keep(body);
    }
  }

  /** Stores environment variables in the account; null deletes one. Throws `RobotError`. */
  async setEnvironment(values: ReadonlyMap<string, string | null>): Promise<void> {
    for (const [key, value] of values) {
      const known = this.#environment.get(key);
      if (value === null) {
        if (known) await this.#api.request('DELETE', `/api/farmware_envs/${known.id}`);
        this.#environment.delete(key);
      } else if (known && this.#copy) {
        this.#copy.mark('farmware_envs', known.id, { value });
        this.#keep({ id: known.id, key, value });
      } else if (known) this.#keep(await this.#api.request('PATCH', `/api/farmware_envs/${known.id}`, { key, value }));
      else this.#keep(await this.#api.request('POST', '/api/farmware_envs', { id: null, key, value }));
    }
  }

  /** Changes a point of the account, immediately or, as OS 15.4, soon. Throws `RobotError`, `StepError`. */
  async updatePoint(id: number, fields: object): Promise<void> {
    if (this.#copy) this.#copy.mark('points', id, fields);
    else await this.#api.request('PATCH', `/api/points/${id}`, fields);
  }

  /** Changes settings in the account. Throws `RobotError`. */
  async updateSettings(name: 'fbos_config' | 'firmware_config', changes: object): Promise<void> {
    const settings = settingsIn(await this.#api.request('PATCH', `/api/${name}`, changes));
    if (name === 'fbos_config') this.#os = settings;
    else this.#firmware = settings;
  }

  /** Resets the firmware settings to their defaults. Throws `RobotError`. [rule R14] */
  async resetFirmware(): Promise<void> {
    await this.#api.request('DELETE', '/api/firmware_config');
    this.#firmware = settingsIn(await this.#api.get('/api/firmware_config'));
  }

  /** Stores a variable; values that are not strings are ignored. [rule R13] */
  #keep(row: unknown): void {
    if (!isObject(row)) return;
    const { id, key, value } = row;
    if (typeof id === 'number' && typeof key === 'string' && typeof value === 'string')
      this.#environment.set(key, { id, value });
  }
}
