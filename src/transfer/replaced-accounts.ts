import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { timestamp } from '../core/clock.ts';
import { confirmedNow } from '../core/confirmed-time.ts';
import { createDurableFolder } from '../core/durable-file.ts';
import { errorCode } from '../core/system.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { devices } from '../device/devices.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { JobDefinition } from '../jobs/runner.ts';

const day = 86_400_000;

/** Archives kept for each device. */
const maxKept = 3;
/** How long an archive is kept, in ms. */
const retention = 30 * day;

const removalKind = 'replaced_account_removal';

/** `device-<id>-<time>.zip`: the digits of a timestamp sort by time. */
const namePattern = /^device-(\d{1,15})-(\d{8}T\d{9}Z)\.zip$/;

const compactTime = (time: number): string => timestamp(time).replaceAll(/[-:.]/g, '');

interface Archive {
  readonly name: string;
  readonly deviceId: number;
  readonly time: string;
}

/** The archives of accounts that imports replaced: the newest three of each account, for 30 days, as long as the account exists. */
export class ReplacedAccounts {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the path of a new archive, in a folder that exists. */
  async createPath({ deviceId, clock }: DeviceScope): Promise<string> {
    await createDurableFolder(this.#folder, 0o700);
    return join(this.#folder, `device-${deviceId}-${compactTime(clock.now())}.zip`);
  }

  /** Deletes all but the newest archives of a device. */
  async trim(deviceId: number): Promise<void> {
    await this.#delete((await this.#archivesOf(deviceId)).slice(maxKept));
  }

  /** Deletes surplus and old archives, and archives of deleted accounts. */
  async sweep(server: ServerScope): Promise<void> {
    const oldest = compactTime(confirmedNow(server.clock) - retention);
    const archives = await this.#archives();
    for (const deviceId of new Set(archives.map((archive) => archive.deviceId))) {
      const isKept = (await server.count(devices, { where: { id: deviceId } })) > 0;
      const own = archives.filter((archive) => archive.deviceId === deviceId);
      await this.#delete(own.filter(({ time }, index) => !isKept || index >= maxKept || time < oldest));
    }
  }

  /** The job that deletes the archives of a deleted device, and the daily cleanup. */
  jobs(): JobDefinition[] {
    return [
      {
        kind: removalKind,
        survivesDeviceDeletion: true,
        handle: async (_server, { device_id }) => this.#delete(await this.#archivesOf(Number(device_id))),
      },
      { kind: 'replaced_account_sweep', interval: day, handle: (server) => this.sweep(server) },
    ];
  }

  /** All archives, the newest first. */
  async #archives(): Promise<Archive[]> {
    const names = await readdir(this.#folder).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    });
    const archives = names.flatMap((name): Archive[] => {
      const [, id, time] = namePattern.exec(name) ?? [];
      return id !== undefined && time !== undefined ? [{ name, deviceId: Number(id), time }] : [];
    });
    return archives.sort((one, other) => (one.time < other.time ? 1 : -1));
  }

  async #archivesOf(deviceId: number): Promise<Archive[]> {
    return (await this.#archives()).filter((archive) => archive.deviceId === deviceId);
  }

  async #delete(archives: readonly Archive[]): Promise<void> {
    for (const { name } of archives) await rm(join(this.#folder, name), { force: true });
  }
}

/** Schedules the deletion of the archives of a device that is deleted in the same transaction. */
export async function scheduleReplacedAccountDeletion(
  server: ServerScope,
  jobs: JobQueue,
  deviceId: number,
): Promise<void> {
  await jobs.enqueue(server, removalKind, { device_id: deviceId }, { deviceId });
}
