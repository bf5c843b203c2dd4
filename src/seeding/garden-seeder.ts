import type { LocalText } from '../core/catalog.ts';
import type { Language } from '../core/languages.ts';
import type { DeviceScope, Where } from '../db/scope.ts';
import type { Notify } from '../device/notice.ts';
import type { Body } from '../engine/body.ts';
import type { Fields } from '../engine/fields.ts';
import { insertRecord, parseCreate } from '../engine/records.ts';
import type { RecordRow, Resource } from '../engine/resource.ts';
import { ensurePointCapacity } from '../garden/point-lifecycle.ts';
import type { NoticeTexts } from './notice-texts.ts';
import { noticesIn } from './notice-texts.ts';
import { inLanguage } from './words.ts';

/** Maximum number of existing records in the notice. */
const maxListed = 20;

/** Names a record in the language of the notice. */
type Description = (texts: NoticeTexts) => string;

/** Creates the records of a device's garden. Existing records are reused and listed in a notice. */
export class GardenSeeder {
  readonly scope: DeviceScope;
  readonly #notify: Notify;
  readonly #language: Language;
  readonly #existing: Description[] = [];

  /** `notify`: notifies the owner if the garden is nearly full. `language`: the language of the created names. */
  constructor(scope: DeviceScope, notify: Notify, language: Language) {
    this.scope = scope;
    this.#notify = notify;
    this.#language = language;
  }

  /** Returns English names and other texts in the language of the garden. */
  inWords<T>(value: T): T {
    return inLanguage(value, this.#language);
  }

  /** Returns the first matching record, or creates one from a request body; both have English names. `description` is for the notice. Throws 422. */
  async ensure<F extends Fields>(
    resource: Resource<F>,
    where: Where<RecordRow<F>>,
    body: Body,
    description: Description,
  ): Promise<RecordRow<F>> {
    const existing = await this.scope.first(resource, { where: this.inWords(where) });
    if (existing) {
      this.noteExisting(description);
      return existing;
    }
    return insertRecord(this.scope, resource, await parseCreate(this.scope, resource, this.inWords(body)));
  }

  /** Checks that the device may have this many more points. Throws PointLimit. */
  async reservePoints(points: number): Promise<void> {
    if (points > 0) await ensurePointCapacity(this.scope, this.#notify, points);
  }

  /** Adds an existing record to the notice. */
  noteExisting(description: Description): void {
    this.#existing.push(description);
  }

  /** Describes the records that existed already; null if there were none. */
  get notice(): LocalText | null {
    const existing = this.#existing;
    if (existing.length === 0) return null;
    return (language) => {
      const texts = noticesIn(language);
      const listed = existing.slice(0, maxListed).map((description) => description(texts));
      const rest = existing.length > maxListed ? texts.more(existing.length - maxListed) : '';
      return texts.existed(listed.join(', ') + rest);
    };
  }
}
