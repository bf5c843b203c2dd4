import type { DeviceScope, Where } from '../db/scope.ts';
import type { Notify } from '../device/notices.ts';
import type { Body } from '../engine/body.ts';
import type { Fields } from '../engine/fields.ts';
import { insertRecord, parseCreate } from '../engine/records.ts';
import type { RecordRow, Resource } from '../engine/resource.ts';
import { ensurePointCapacity } from '../garden/point-lifecycle.ts';

/** Records that one sentence names at most. */
const mostTold = 20;

/** A device's garden while it is seeded: what is there already is used as it is, and remembered to be told. */
export class GardenSeeder {
  readonly scope: DeviceScope;
  readonly #tell: Notify;
  readonly #found: string[] = [];

  /** `tell`: tells the owner when the garden is nearly full. */
  constructor(scope: DeviceScope, tell: Notify) {
    this.scope = scope;
    this.#tell = tell;
  }

  /** Gives the first record that matches, or makes one of a body as a client would send it. `what` names it to people. Throws 422. */
  async ensure<F extends Fields>(
    resource: Resource<F>,
    where: Where<RecordRow<F>>,
    body: Body,
    what: string,
  ): Promise<RecordRow<F>> {
    const there = await this.scope.first(resource, { where });
    if (there) {
      this.noteExisting(what);
      return there;
    }
    return insertRecord(this.scope, resource, await parseCreate(this.scope, resource, body));
  }

  /** Looks whether so many more points fit. Throws PointLimit. */
  async reservePoints(points: number): Promise<void> {
    if (points > 0) await ensurePointCapacity(this.scope, this.#tell, points);
  }

  /** Remembers that something was there already. */
  noteExisting(what: string): void {
    this.#found.push(what);
  }

  /** What was there already, as one sentence; null: nothing. */
  get notice(): string | null {
    const count = this.#found.length;
    if (count === 0) return null;
    const told = this.#found.slice(0, mostTold).join(', ');
    const rest = count > mostTold ? ` and ${count - mostTold} more` : '';
    return `Some of what belongs to your robot was there already and stays as it was: ${told}${rest}.`;
  }
}
