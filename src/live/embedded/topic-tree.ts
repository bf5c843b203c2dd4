/** Something that is found under filters. What it carries is the tree's: a value belongs to one tree only. */
export interface Findable {
  /** The number of the search that found it last … */
  foundBy: number;
  /** … and the highest QoS of its filters that were met. */
  foundQos: 0 | 1 | 2;
}

interface Level<T> {
  below: Map<string, Level<T>> | null;
  /** What is under `+`, and what under `#`. */
  any: Level<T> | null;
  rest: Level<T> | null;
  /** One value as it is, several as a map: most filters have one subscriber. */
  only: T | null;
  qos: 0 | 1 | 2;
  several: Map<T, 0 | 1 | 2> | null;
}

const level = <T>(): Level<T> => ({ below: null, any: null, rest: null, only: null, qos: 0, several: null });

/** Values under topic filters of MQTT (`+`, `#`), and which of them a topic meets. A value may be under several filters. */
export class TopicTree<T extends Findable> {
  readonly #root = level<T>();
  #search = 0;

  /** Puts a value under a filter; the QoS of one that is there already is changed. */
  add(filter: string, value: T, qos: 0 | 1 | 2 = 0): void {
    let place = this.#root;
    for (const part of filter.split('/')) place = below(place, part) ?? grown(place, part);
    if (place.several) place.several.set(value, qos);
    else if (place.only === null || place.only === value) {
      place.only = value;
      place.qos = qos;
    } else {
      place.several = new Map([
        [place.only, place.qos],
        [value, qos],
      ]);
      place.only = null;
    }
  }

  remove(filter: string, value: T): void {
    this.#remove(this.#root, filter.split('/'), 0, value);
  }

  /** What a topic meets: each value once, however many of its filters are met. `foundQos` holds until the next search. */
  match(topic: string): T[] {
    const found: T[] = [];
    this.#search++;
    this.#match(this.#root, topic.split('/'), 0, found);
    return found;
  }

  get isEmpty(): boolean {
    return isBare(this.#root);
  }

  #match(place: Level<T>, parts: readonly string[], index: number, found: T[]): void {
    if (place.rest) this.#collect(place.rest, found);
    const part = parts[index];
    if (part === undefined) {
      this.#collect(place, found);
      return;
    }
    // A topic has no wildcards of its own: one named `#` or `+` meets nothing by its name.
    const named = place.below?.get(part);
    if (named) this.#match(named, parts, index + 1, found);
    if (place.any) this.#match(place.any, parts, index + 1, found);
  }

  #collect({ only, qos, several }: Level<T>, found: T[]): void {
    if (only !== null) this.#find(only, qos, found);
    else if (several) for (const [value, granted] of several) this.#find(value, granted, found);
  }

  #find(value: T, qos: 0 | 1 | 2, found: T[]): void {
    if (value.foundBy !== this.#search) {
      value.foundBy = this.#search;
      value.foundQos = qos;
      found.push(value);
    } else if (qos > value.foundQos) value.foundQos = qos;
  }

  #remove(place: Level<T>, parts: readonly string[], index: number, value: T): void {
    const part = parts[index];
    if (part === undefined) {
      if (place.only === value) place.only = null;
      else if (place.several?.delete(value) && place.several.size === 0) place.several = null;
      return;
    }
    const next = below(place, part);
    if (!next) return;
    this.#remove(next, parts, index + 1, value);
    if (!isBare(next)) return;
    if (part === '+') place.any = null;
    else if (part === '#') place.rest = null;
    else {
      place.below?.delete(part);
      if (place.below?.size === 0) place.below = null;
    }
  }
}

function below<T>(place: Level<T>, part: string): Level<T> | null {
  if (part === '+') return place.any;
  return part === '#' ? place.rest : (place.below?.get(part) ?? null);
}

function grown<T>(place: Level<T>, part: string): Level<T> {
  const next = level<T>();
  if (part === '+') place.any = next;
  else if (part === '#') place.rest = next;
  else {
    place.below ??= new Map();
    place.below.set(part, next);
  }
  return next;
}

const isBare = <T>({ below, any, rest, only, several }: Level<T>): boolean =>
  below === null && any === null && rest === null && only === null && several === null;

/** How many levels a topic or a filter has. */
export function levelsOf(topic: string): number {
  let levels = 1;
  for (let at = topic.indexOf('/'); at !== -1; at = topic.indexOf('/', at + 1)) levels++;
  return levels;
}

/** Whether a topic meets a filter of MQTT. */
export function meets(filter: string, topic: string): boolean {
  // Without pieces of text: a retained message is compared with each filter of a client.
  for (let at = 0, from = 0; ; ) {
    const end = endOf(filter, at);
    const isOne = end === at + 1;
    if (isOne && filter[at] === '#') return true;
    if (from > topic.length) return false;
    const to = endOf(topic, from);
    const isMet =
      (isOne && filter[at] === '+') || (end - at === to - from && isSame(filter, at, topic, from, end - at));
    if (!isMet) return false;
    if (end === filter.length) return to === topic.length;
    at = end + 1;
    from = to + 1;
  }
}

function endOf(text: string, from: number): number {
  const end = text.indexOf('/', from);
  return end === -1 ? text.length : end;
}

function isSame(one: string, at: number, other: string, from: number, length: number): boolean {
  for (let index = 0; index < length; index++)
    if (one.charCodeAt(at + index) !== other.charCodeAt(from + index)) return false;
  return true;
}
