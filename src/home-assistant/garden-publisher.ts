import { isObject } from '../core/json.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import type { LiveOffer } from '../live/offer.ts';
import type { Discovery, ShownGarden } from './discovery.ts';
import { discoveryOf, stateOf, updateStateOf } from './discovery.ts';
import { discoveryTopic, photoTopic, stateTopic, updateTopic } from './garden-topics.ts';
import { PinReadings } from './pin-readings.ts';

/** Platforms (`switch`) of components by their keys. */
type Platforms = Readonly<Record<string, string>>;

const platformsOf = ({ components }: Discovery): Platforms =>
  Object.fromEntries(Object.entries(components).map(([key, { platform }]) => [key, platform]));

/** Parses the platforms in a discovery that the broker retains; none if it is invalid. */
function parsePlatforms(payload: string): Platforms {
  let discovery: unknown;
  try {
    discovery = JSON.parse(payload);
  } catch {
    return {};
  }
  if (!isObject(discovery) || !isObject(discovery.components)) return {};
  return Object.fromEntries(
    Object.entries(discovery.components).flatMap(([key, component]) =>
      isObject(component) && typeof component.platform === 'string' && /^\w+$/.test(key)
        ? [[key, component.platform]]
        : [],
    ),
  );
}

/**
 * Returns the discovery to publish before one without components of earlier ones, or null if there are none such: Home
 * Assistant removes a component if nothing but its platform is left of it, not if it is missing.
 */
function removalFrom(discovery: Discovery, before: Platforms): object | null {
  const removed = Object.entries(before).filter(([key]) => !Object.hasOwn(discovery.components, key));
  if (removed.length === 0) return null;
  const left = Object.fromEntries(removed.map(([key, platform]) => [key, { platform }]));
  return { ...discovery, components: { ...discovery.components, ...left } };
}

export interface GardenPublisherOptions {
  readonly server: () => ServerScope;
  readonly readGarden: (scope: DeviceScope) => Promise<ShownGarden>;
  readonly live: LiveOffer;
  /** Returns the topic from which clients read whether a garden is shown. */
  readonly availabilityTopic: (deviceId: number) => string;
  /** Publishes a retained message; an empty one removes it. */
  readonly publish: (topic: string, payload: string) => void;
}

/** A garden that is shown, and the messages that were published last, by topic. */
interface Shown {
  garden: ShownGarden | null;
  /** It changed since it was read. */
  isStale: boolean;
  /** The platforms of the components in the last discovery, of this or an earlier run. */
  components: Platforms;
  readonly readings: PinReadings;
  readonly published: Map<string, string>;
}

const newShown = (): Shown => ({
  garden: null,
  isStale: false,
  components: {},
  readings: new PinReadings(),
  published: new Map(),
});

/** Publishes gardens for Home Assistant: unchanged messages are not published again. */
export class GardenPublisher {
  readonly #options: GardenPublisherOptions;
  readonly #gardens = new Map<number, Shown>();

  constructor(options: GardenPublisherOptions) {
    this.#options = options;
  }

  /** The devices of the gardens that are shown. */
  get deviceIds(): readonly number[] {
    return [...this.#gardens.keys()];
  }

  isShown(deviceId: number): boolean {
    return this.#gardens.has(deviceId);
  }

  /** Has a garden read again. */
  onChange(deviceId: number): void {
    const shown = this.#gardens.get(deviceId);
    if (shown) shown.isStale = true;
  }

  /** Has everything of a garden published again, of all gardens by default. */
  repeat(deviceIds = this.deviceIds): void {
    for (const deviceId of deviceIds) this.#gardens.get(deviceId)?.published.clear();
  }

  /** Drops all gardens from memory, without removing them from the broker. */
  clear(): void {
    this.#gardens.clear();
  }

  /** Publishes the changes of a garden. */
  async show(deviceId: number): Promise<void> {
    const { server, readGarden, live } = this.#options;
    const shown = this.#gardens.get(deviceId) ?? newShown();
    this.#gardens.set(deviceId, shown);
    const known = shown.isStale ? null : shown.garden;
    shown.isStale = false;
    const garden = known ?? (await readGarden(server().device(deviceId)));
    shown.garden = garden;
    // It is large, and seldom changes.
    if (garden !== known || !shown.published.has(discoveryTopic(deviceId)))
      this.#publishDiscovery(deviceId, shown, garden);
    const robot = live.directory.state(deviceId);
    const { status } = robot;
    if (status) shown.readings.update(status);
    this.#publish(shown, stateTopic(deviceId), JSON.stringify(stateOf(garden, { ...robot, ...shown })));
    const update = updateStateOf(garden, status);
    if (update) this.#publish(shown, updateTopic(deviceId), JSON.stringify(update));
    if (garden.photo !== null) this.#publish(shown, photoTopic(deviceId), garden.photo);
  }

  /** Takes the discovery that an earlier run left, which may have components of records that were deleted since. */
  recognize(topic: string, payload: string): void {
    for (const [deviceId, shown] of this.#gardens) {
      if (topic !== discoveryTopic(deviceId)) continue;
      shown.components = { ...parsePlatforms(payload), ...shown.components };
      shown.published.delete(topic);
    }
  }

  /** Removes everything of a garden. */
  remove(deviceId: number): void {
    this.#gardens.delete(deviceId);
    for (const topic of [discoveryTopic, stateTopic, updateTopic, photoTopic])
      this.#options.publish(topic(deviceId), '');
  }

  #publishDiscovery(deviceId: number, shown: Shown, garden: ShownGarden): void {
    const discovery = discoveryOf(deviceId, garden, this.#options.availabilityTopic(deviceId));
    const removal = removalFrom(discovery, shown.components);
    if (removal) this.#publish(shown, discoveryTopic(deviceId), JSON.stringify(removal));
    this.#publish(shown, discoveryTopic(deviceId), JSON.stringify(discovery));
    shown.components = platformsOf(discovery);
  }

  #publish({ published }: Shown, topic: string, payload: string): void {
    if (published.get(topic) === payload) return;
    this.#options.publish(topic, payload);
    published.set(topic, payload);
  }
}
