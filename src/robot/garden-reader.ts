import type { Clock } from '../core/clock.ts';
import { isObject } from '../core/json.ts';
import { matchesCriteria } from '../core/point-criteria.ts';
import { orderedPoints } from '../core/point-order.ts';
import { axes, StepError, toPrintable, type Vector } from './nodes.ts';
import { type RobotApi, RobotError } from './robot-api.ts';

/** The pin of a peripheral or sensor. */
export interface NamedPin {
  readonly pin: number;
  readonly mode: number;
  readonly label: string;
  /** What it is for; undefined of servers before types of equipment. */
  readonly type: unknown;
}

/** A record as the server sends it. */
export type GardenRecord = Readonly<Record<string, unknown>>;

/** A group of points. */
export interface GardenGroup {
  readonly name: string;
  /** In the order of the group. */
  readonly points: readonly (GardenRecord & { readonly id: number })[];
}

function placeOf({ x, y, z }: GardenRecord): Vector {
  if (typeof x !== 'number' || typeof y !== 'number' || typeof z !== 'number')
    throw new StepError('The server sent no position.');
  return { x, y, z };
}

/** Returns the position of a slot, which may move along with the robot: on x with the gantry, on y too with the cross-slide, or on all axes. [rule G37] */
export function slotPlace(slot: GardenRecord, robot: Vector): Vector {
  const { mount_stage, gantry_mounted } = slot;
  const stage =
    mount_stage === 1 || mount_stage === 2 || mount_stage === 3 ? mount_stage : gantry_mounted === true ? 1 : 0;
  const moving = axes.slice(0, stage).map((axis) => [axis, robot[axis] + Number(slot[`mount_offset_${axis}`] ?? 0)]);
  return { ...placeOf(slot), ...Object.fromEntries(moving) };
}

/** Reads the account's garden from the server, without a cache. */
export class GardenReader {
  readonly #api: RobotApi;

  readonly #clock: Clock;

  constructor(api: RobotApi, clock: Clock) {
    this.#api = api;
    this.#clock = clock;
  }

  async point(id: number): Promise<Vector> {
    return placeOf(await this.record(`/api/points/${id}`, `point ${id}`));
  }

  /** Returns the record of the slot with this tool. */
  async slotRecord(id: number): Promise<GardenRecord> {
    const points = await this.list('points');
    const slot = points.find((each) => each.pointer_type === 'ToolSlot' && each.tool_id === id);
    if (!slot) throw new StepError(`Tool ${id} is in no slot.`);
    return slot;
  }

  /** Returns the sensor that is connected to a pin. */
  async sensorAt(pin: number): Promise<GardenRecord | undefined> {
    return (await this.list('sensors')).find((each) => each.pin === pin);
  }

  /** Returns the id of the mounted tool; null if there is none. */
  async mountedTool(): Promise<number | null> {
    const { mounted_tool_id } = await this.record('/api/device', 'device');
    return typeof mounted_tool_id === 'number' ? mounted_tool_id : null;
  }

  /** Returns a group. Throws {@link StepError} if it does not exist. */
  async group(id: number, random: () => number): Promise<GardenGroup> {
    return this.membersOf(await this.record(`/api/point_groups/${id}`, `point group ${id}`), random);
  }

  /** Returns a group with its points, added ones and matches of its criteria, in its order. */
  async membersOf(group: GardenRecord, random: () => number): Promise<GardenGroup> {
    const { name, point_ids, criteria, sort_type } = group;
    const added = new Set(Array.isArray(point_ids) ? point_ids : []);
    const now = this.#clock.now();
    const members = (await this.list('points'))
      .filter((point) => added.has(point.id) || (isObject(criteria) && matchesCriteria(point, criteria, now)))
      .map((point) => ({ ...point, id: Number(point.id), x: Number(point.x), y: Number(point.y) }));
    return { name: String(name), points: orderedPoints(members, sort_type, random) };
  }

  async namedPin(kind: 'Peripheral' | 'Sensor', id: number): Promise<NamedPin> {
    const path = kind === 'Sensor' ? 'sensors' : 'peripherals';
    const { pin, mode, label, type } = await this.record(`/api/${path}/${id}`, `${kind.toLowerCase()} ${id}`);
    if (typeof pin !== 'number') throw new StepError(`${kind} ${id} has no pin.`);
    return { pin, mode: mode === 1 ? 1 : 0, label: typeof label === 'string' ? toPrintable(label) : `${pin}`, type };
  }

  /** Fetches the records of a resource. */
  async list(
    resource: 'curves' | 'points' | 'point_groups' | 'sensors' | 'peripherals' | 'tools',
  ): Promise<GardenRecord[]> {
    const records = await this.#api.get(`/api/${resource}`);
    return Array.isArray(records) ? records.filter(isObject) : [];
  }

  /** Fetches a record. Throws {@link StepError} if it does not exist. */
  async record(path: string, name: string): Promise<GardenRecord> {
    try {
      const found = await this.#api.get(path);
      if (isObject(found)) return found;
    } catch (error) {
      if (!(error instanceof RobotError) || error.status !== 404) throw error;
    }
    throw new StepError(`There is no ${name} in this garden.`);
  }
}
