import type { Clock } from '../core/clock.ts';
import { isObject } from '../core/json.ts';
import { drawGarden } from './garden-picture.ts';
import type { GardenReader } from './garden-reader.ts';
import type { Vector } from './nodes.ts';
import { type RobotApi, RobotError } from './robot-api.ts';

/** The simulated camera. */
export class Camera {
  readonly #api: RobotApi;
  readonly #garden: GardenReader;
  readonly #clock: Clock;

  constructor(api: RobotApi, garden: GardenReader, clock: Clock) {
    this.#api = api;
    this.#garden = garden;
    this.#clock = clock;
  }

  /** Takes a photo of the garden below a position and uploads it like a robot. Throws {@link RobotError}. [rule R18] */
  async takePhoto({ x, y, z }: Vector): Promise<void> {
    const picture = await drawGarden({ x, y, z }, await this.#garden.list('points'));
    const permission = await this.#api.get('/api/storage_auth.json');
    if (!isObject(permission) || typeof permission.url !== 'string' || !isObject(permission.form_data))
      throw new RobotError('The server sent no permission to upload a photo.');
    const name = `/tmp/images/${Math.floor(this.#clock.now() / 1000)}`;
    const form = new FormData();
    const { file: _file, ...fields } = permission.form_data;
    for (const [field, value] of Object.entries(fields)) form.append(field, String(value));
    form.append('file', new Blob([new Uint8Array(picture)], { type: 'image/jpeg' }), `${name}.jpg`);
    const address = await this.#api.upload(permission.url, form);
    const attachment_url = `${address.replace(/\/$/, '')}/${String(fields.key)}`;
    await this.#api.request('POST', '/api/images', { attachment_url, meta: { x, y, z, name } });
  }
}
