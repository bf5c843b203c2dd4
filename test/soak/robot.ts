import { isObject, numberAt, textAt } from '../support/json.ts';
import { MqttTestClient } from '../support/mqtt-test-client.ts';
import { solidColorPicture } from '../support/photo-upload.ts';
import type { SoakAccount } from './account.ts';
import { objectsOf } from './api.ts';
import type { Installation } from './installation.ts';
import type { Random } from './random.ts';
import type { SoakReport } from './soak-report.ts';

/** How long a robot waits for an acknowledgment before it connects again, in ms. */
const acknowledgmentTimeout = 30_000;
/** Telemetry that is looked for: the server keeps the newest 300. */
const comparedTelemetries = 100;

/** A client that sends logs, telemetry and photos, and repeats unacknowledged messages. */
export class Robot {
  readonly #account: SoakAccount;
  readonly #installation: Installation;
  readonly #random: Random;
  readonly #report: SoakReport;
  #connection: MqttTestClient | null = null;
  #count = 0;
  /** Acknowledged logs, and whether they may be stored several times. */
  readonly #logs = new Map<string, boolean>();
  readonly #telemetries: number[] = [];
  /** Ids of acknowledged photos; true: its deletion was acknowledged, null: it was requested. */
  readonly #photos = new Map<number, boolean | null>();

  constructor(installation: Installation, account: SoakAccount, random: Random, report: SoakReport) {
    this.#account = account;
    this.#installation = installation;
    this.#random = random;
    this.#report = report;
  }

  /** Sends a message or a photo. */
  async work(): Promise<void> {
    const dice = this.#random.next();
    if (dice < 0.1) await this.#sendPhoto();
    else if (dice < 0.12) await this.#deletePhoto();
    else if (dice < 0.2) await this.#sendTelemetry();
    else await this.#sendLog();
  }

  async #sendLog(): Promise<void> {
    const message = `log ${++this.#count}`;
    const log = { message, type: 'info', major_version: 17, channels: [], created_at: Math.floor(Date.now() / 1000) };
    const { tries, isFreelyRepeated } = await this.#publish('logs', JSON.stringify(log));
    this.#logs.set(message, isFreelyRepeated);
    this.#report.count('logs acknowledged');
    if (tries > 1) this.#report.count('logs sent again', tries - 1);
  }

  async #sendTelemetry(): Promise<void> {
    const uptime = ++this.#count;
    await this.#publish('telemetry', JSON.stringify({ telemetry_uptime: uptime, telemetry_target: 'rpi4' }));
    this.#telemetries.push(uptime);
    this.#report.count('telemetry acknowledged');
  }

  /** Publishes a message until it is acknowledged. Returns the number of attempts, and whether the broker may have got it twice without a start in between. */
  async #publish(channel: string, payload: string): Promise<{ tries: number; isFreelyRepeated: boolean }> {
    const { bot, token } = this.#account;
    const { brokerUrls, brokerStarts } = this.#installation;
    let isFreelyRepeated = false;
    let starts: number | undefined;
    for (let tries = 0; ; ) {
      try {
        if (!this.#connection?.isConnected) {
          const url = brokerUrls[0] ?? '';
          this.#connection = await MqttTestClient.connect(url, {
            username: bot,
            password: token,
            connectTimeout: 20_000,
          });
          this.#report.count('connections of robots');
        }
        isFreelyRepeated ||= tries > 0 && starts === brokerStarts?.();
        starts = brokerStarts?.();
        tries++;
        await withTimeout(this.#connection.publish(`bot/${bot}/${channel}`, payload, { qos: 1 }));
        return { tries, isFreelyRepeated };
      } catch {
        await this.#connection?.end();
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  }

  async #sendPhoto(): Promise<void> {
    const { api } = this.#installation;
    const { token } = this.#account;
    const allowed = await api.sendValid(this.#random, 'GET', '/api/storage_auth', { token });
    if (allowed.kind !== 'acknowledged') return;
    const { json } = allowed.response;
    const form = new FormData();
    const key = textAt(json, 'form_data.key');
    form.append('key', key);
    form.append('signature', textAt(json, 'form_data.signature'));
    const picture = await solidColorPicture(this.#random.integer(0, 255));
    form.append('file', new Blob([new Uint8Array(picture)], { type: 'image/jpeg' }), 'photo.jpg');
    const request = new Response(form);
    const uploaded = await api.sendValid(this.#random, 'POST', '/direct_upload', {
      raw: Buffer.from(await request.arrayBuffer()),
      headers: { 'content-type': request.headers.get('content-type') ?? '' },
    });
    if (uploaded.kind !== 'acknowledged') return;
    const body = { attachment_url: `http:${textAt(json, 'url')}${key}`, meta: { x: 1, y: 2, z: 3 } };
    const created = await api.sendValid(this.#random, 'POST', '/api/images', { token, body });
    if (created.kind !== 'acknowledged') return;
    this.#photos.set(numberAt(created.response.json, 'id'), false);
    this.#report.count('photos acknowledged');
  }

  async #deletePhoto(): Promise<void> {
    const kept = [...this.#photos].filter(([, isDeleted]) => isDeleted === false);
    const [id] = kept[0] ?? [];
    if (id === undefined) return;
    this.#photos.set(id, null);
    const path = `/api/images/${id}`;
    const outcome = await this.#installation.api.sendValid(this.#random, 'DELETE', path, {
      token: this.#account.token,
    });
    if (outcome.kind === 'acknowledged') this.#photos.set(id, true);
    else if (outcome.kind === 'unsent') this.#photos.set(id, false);
  }

  /** Returns the acknowledged logs and telemetry that are not stored yet. Logs that are stored too often are violations. */
  async missing(): Promise<string[]> {
    const { api } = this.#installation;
    const { token, bot } = this.#account;
    const stored = new Map<unknown, number>();
    for (const { message } of await api.list(this.#random, 'logs', token))
      stored.set(message, (stored.get(message) ?? 0) + 1);
    for (const [message, isFreelyRepeated] of this.#logs) {
      const count = stored.get(message) ?? 0;
      if (count > 1 && !isFreelyRepeated) this.#report.violation(`${bot}: "${message}" is stored ${count} times`);
    }
    const uptimes = new Set((await api.list(this.#random, 'telemetries', token)).map(({ uptime }) => uptime));
    return [
      ...[...this.#logs.keys()].filter((message) => !stored.has(message)),
      ...this.#telemetries.slice(-comparedTelemetries).flatMap((n) => (uptimes.has(n) ? [] : [`telemetry ${n}`])),
    ];
  }

  /** Deletes all logs after they were compared: the server keeps 1,000 of a device. */
  async clearLogs(): Promise<void> {
    this.#report.count('logs compared', this.#logs.size);
    await this.#installation.api.sendUntilAcknowledged(this.#random, 'DELETE', '/api/logs/all', {
      token: this.#account.token,
    });
    this.#logs.clear();
  }

  /** Compares the photos, when all jobs are done. */
  async checkPhotos(): Promise<void> {
    const { api } = this.#installation;
    const { token, bot } = this.#account;
    const rows = objectsOf((await api.sendUntilAcknowledged(this.#random, 'GET', '/api/images', { token })).json);
    const listed = new Map(rows.map((row) => [row.id, row]));
    for (const [id, isDeleted] of this.#photos) {
      if (isDeleted === false && !listed.has(id)) this.#report.violation(`${bot}: photo ${id} is lost`);
      if (isDeleted && listed.has(id)) this.#report.violation(`${bot}: photo ${id} was deleted, and is listed`);
    }
    for (const row of rows) {
      if (!isObject(row) || row.attachment_processed_at === null) {
        this.#report.violation(`${bot}: photo ${row.id} was not processed`);
        continue;
      }
      const { headers, bytes } = await api.sendUntilAcknowledged(
        this.#random,
        'GET',
        new URL(String(row.attachment_url)).pathname,
      );
      const isPicture = headers['content-type'] === 'image/jpeg' && bytes.subarray(0, 2).toString('hex') === 'ffd8';
      if (isPicture) this.#report.count('photos compared');
      else this.#report.violation(`${bot}: ${row.attachment_url} is not a picture`);
    }
  }

  async end(): Promise<void> {
    await this.#connection?.end();
  }
}

function withTimeout<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('not acknowledged')), acknowledgmentTimeout);
  });
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}
