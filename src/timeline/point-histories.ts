import { LRUCache } from 'lru-cache';
import { timestamp } from '../core/clock.ts';
import type { Harvest, PointState } from '../core/garden-time.ts';
import { harvestOf } from '../core/garden-time.ts';
import type { CropGrowth, CurveReader } from '../core/growth.ts';
import { curveReader } from '../core/growth.ts';
import { Slices } from '../core/request-pause.ts';
import type { ChangeLog } from '../db/change-log.ts';
import { changeRows, effective } from '../db/change-rows.ts';
import { idOf } from '../db/row-ids.ts';
import type { DeviceScope, Selection } from '../db/scope.ts';
import { only } from '../db/table.ts';
import { jsonSelection } from '../engine/serializer.ts';
import { curves } from '../garden/curves.ts';
import { notArchived, points } from '../garden/points.ts';
import type { FindCrop, PlantFacts, PointFacts } from './shown-points.ts';
import { changedMembers, factsOf, parsePoint } from './shown-points.ts';

/** The crop of a plant and its harvest, as far as they are known. */
interface Growth {
  readonly crop: CropGrowth | undefined;
  readonly harvest: Harvest | null;
  /** The harvest as JSON. */
  readonly json: string;
}

/** The state of a point. */
export interface ShownState extends PointState<PointFacts> {
  /** When it begins, as ISO 8601. */
  readonly time: string;
  /** The members of its JSON, without braces. */
  readonly json: string;
  /** The members that differ from the state before; null: all. */
  readonly changed: string | null;
  /** Of a plant. */
  readonly growth: Growth | null;
}

/** A point over time. */
export interface PointHistory {
  readonly id: number;
  /** In the order of time; the first one begins with its creation. */
  readonly states: readonly ShownState[];
}

/** The points of a garden over time, as far as the change log reaches. */
export interface GardenHistory {
  readonly points: readonly PointHistory[];
  /** The slugs of the crops that its plants have or had. */
  readonly crops: ReadonlySet<string>;
  /** The present curves by id. */
  readonly curves: ReadonlyMap<number, CurveReader>;
  /** When the oldest point was created, in ms. */
  readonly oldest: number;
}

/** Bytes of all gardens in memory, and of a state besides its JSON, roughly. */
const [maxBytes, stateSize] = [48 * 1024 * 1024, 200];
/** Changes that are read at once. */
const pageLength = 500;

const pointName = points.options.changeLogName ?? '';
const logged = [pointName, curves.options.changeLogName ?? ''];
const loggedStates = only(changeRows, 'device_id', 'resource', 'record_id', 'action', 'before', 'after');
const pointJson: Selection<string> = jsonSelection(points);

/** The part of a change that concerns points over time. */
interface LoggedState {
  readonly resource: string;
  readonly recordId: number;
  /** ISO 8601. */
  readonly at: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** A garden in memory, which grows by the changes since. */
class KnownGarden implements GardenHistory {
  readonly points: { readonly id: number; readonly states: ShownState[] }[] = [];
  readonly crops = new Set<string>();
  readonly #byId = new Map<number, ShownState[]>();
  readonly #crop: FindCrop;
  curves: ReadonlyMap<number, CurveReader> = new Map();
  oldest = Number.POSITIVE_INFINITY;
  /** The id of the last change that is in it. */
  lastChange = 0;
  bytes = stateSize;

  constructor(crop: FindCrop) {
    this.#crop = crop;
  }

  /** Adds a change. Returns whether it is of a curve. */
  add({ resource, recordId, at, before, after }: LoggedState): boolean {
    if (resource !== pointName) return true;
    // What was there before the log begins.
    if (before !== null && !this.#byId.has(recordId)) this.#push(recordId, null, before);
    this.#push(recordId, Date.parse(at), after);
    return false;
  }

  /** Adds a point that the log does not mention. */
  addUnchanged(id: number, json: string): void {
    if (!this.#byId.has(id)) this.#push(id, null, json);
  }

  /** Adds a state, unless nothing that is shown changed. `at`: in ms; null: since its creation. */
  #push(id: number, at: number | null, record: string | null): void {
    let states = this.#byId.get(id);
    const last = states?.at(-1);
    const state = this.#stateOf(at, record, last);
    const { since } = state;
    if (last ? last.json === state.json : state.point === null) return;
    if (!states) {
      states = [];
      this.#byId.set(id, states);
      this.points.push({ id, states });
    }
    // Of several changes within a millisecond the last one counts.
    if (last?.since === since) states.pop();
    states.push(state);
    this.bytes += stateSize + state.json.length + (state.changed?.length ?? 0);
  }

  #stateOf(at: number | null, record: string | null, last: ShownState | undefined): ShownState {
    // Clocks of servers are corrected.
    const changedAt = Math.max(at ?? 0, last?.since ?? 0);
    if (record === null)
      return { since: changedAt, time: timestamp(changedAt), point: null, growth: null, json: '', changed: null };
    const { shown, created } = parsePoint(record);
    // Imports and demos make points that are older than their change. [ADR 133]
    const since = last ? changedAt : Math.min(created, at ?? created);
    this.oldest = Math.min(this.oldest, since);
    const point = factsOf(shown, last?.point ?? null);
    const { plant } = point;
    const growth = plant && (plant === last?.point?.plant ? last.growth : this.#growthOf(plant));
    const changed = last?.point ? changedMembers(JSON.parse(`{${last.json}}`), shown) : null;
    return {
      since,
      time: timestamp(since),
      point,
      growth,
      json: membersOf(shown),
      changed: changed && membersOf(changed),
    };
  }

  #growthOf(plant: PlantFacts): Growth {
    this.crops.add(plant.slug);
    const crop = this.#crop(plant.slug);
    const harvest = harvestOf(plant, crop);
    const shown = harvest && { from: timestamp(harvest.from), to: timestamp(harvest.to) };
    return { crop, harvest, json: JSON.stringify(shown) };
  }
}

/** Returns the JSON of an object without its braces, as flat text: it is not a part of a longer one. */
const membersOf = (object: object): string => Buffer.from(JSON.stringify(object).slice(1, -1)).toString();

/** The histories of gardens' points, from the change log: read once, and then continued by what changed since. [ADR 132] */
export class PointHistories {
  readonly #changes: ChangeLog;
  readonly #crop: () => Promise<FindCrop>;
  readonly #known = new LRUCache<number, KnownGarden>({ maxSize: maxBytes, sizeCalculation: ({ bytes }) => bytes });
  /** The last reading of each garden that is not over: one follows the other. */
  readonly #readings = new Map<number, Promise<unknown>>();

  /** `crop`: of the catalog, which may have to be loaded. */
  constructor(changes: ChangeLog, crop: () => Promise<FindCrop>) {
    this.#changes = changes;
    this.#crop = crop;
  }

  /** Returns the history of a garden, with all changes that are committed. `onWhole` is called before the whole log is read, as for histories that are too large to be kept; it may throw. */
  async of(scope: DeviceScope, onWhole: () => void): Promise<GardenHistory> {
    const { deviceId } = scope;
    const read = () => this.#read(scope, onWhole);
    const reading = (this.#readings.get(deviceId) ?? Promise.resolve()).then(read, read);
    this.#readings.set(deviceId, reading);
    try {
      return await reading;
    } finally {
      if (this.#readings.get(deviceId) === reading) this.#readings.delete(deviceId);
    }
  }

  async #read(scope: DeviceScope, onWhole: () => void): Promise<GardenHistory> {
    const known = this.#known.get(scope.deviceId);
    if (known && (await this.#continue(scope, known))) return known;
    onWhole();
    const garden = await this.#begin(scope);
    this.#known.set(scope.deviceId, garden);
    return garden;
  }

  /** Adds the changes since the last reading. Returns false if the log does not have all of them. */
  async #continue(scope: DeviceScope, garden: KnownGarden): Promise<boolean> {
    const before = garden.bytes;
    for (;;) {
      const read = await this.#changes.read(scope, {
        after: garden.lastChange,
        limit: pageLength,
        takes: (resource) => logged.includes(resource),
      });
      if (read === 'reset') return false;
      let hasCurves = false;
      for (const change of read) {
        if (logged.includes(change.resource)) hasCurves = garden.add(change) || hasCurves;
        garden.lastChange = change.id;
      }
      if (hasCurves) garden.curves = await readCurves(scope);
      if (read.length < pageLength) break;
    }
    // It takes more room.
    if (garden.bytes !== before) this.#known.set(scope.deviceId, garden);
    return true;
  }

  /** Reads the whole log, and the points that it does not mention, in slices between which requests are served. */
  async #begin(scope: DeviceScope): Promise<KnownGarden> {
    const slices = new Slices();
    const garden = new KnownGarden(await this.#crop());
    // Read first: points that are created meanwhile are in the log.
    const present = await scope.select(points, pointJson, { where: notArchived });
    garden.lastChange = await this.#changes.lastId(scope);
    garden.curves = await readCurves(scope);
    // First the numbers, by the index of records, which SQLite takes for conditions on records only: pages would each be searched among all.
    const ofRecords = { resource: logged, record_id: { gt: 0 } };
    const all = await scope.select(changeRows, idOf, { where: ofRecords });
    const ids = all.filter((id) => id <= garden.lastChange);
    for (let from = 0; from < ids.length; from += pageLength)
      for (const row of await scope.rows(loggedStates, {
        where: { id: ids.slice(from, from + pageLength), ...effective },
      })) {
        garden.add({ ...row, recordId: row.record_id, at: row.created_at });
        await slices.pause();
      }
    for (const json of present) {
      garden.addUnchanged((JSON.parse(json) as { readonly id: number }).id, json);
      await slices.pause();
    }
    return garden;
  }
}

/** Returns the present curves by id. */
async function readCurves(scope: DeviceScope): Promise<ReadonlyMap<number, CurveReader>> {
  return new Map((await scope.rows(curves)).map(({ id, data }) => [id, curveReader(data)]));
}
