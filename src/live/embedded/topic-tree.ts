interface Level<T> {
  below: Map<string, Level<T>> | null;
  /** One value as it is, several as a set: most filters have one subscriber. */
  values: Set<T> | T | null;
}

const level = <T>(): Level<T> => ({ below: null, values: null });

/** Values under topic filters of MQTT (`+`, `#`), and which of them a topic meets. A value may be under several filters. */
export class TopicTree<T extends object> {
  readonly #root = level<T>();

  add(filter: string, value: T): void {
    let place = this.#root;
    for (const part of filter.split('/')) {
      place.below ??= new Map();
      let next = place.below.get(part);
      if (!next) {
        next = level();
        place.below.set(part, next);
      }
      place = next;
    }
    if (place.values === null) place.values = value;
    else if (place.values instanceof Set) place.values.add(value);
    else if (place.values !== value) place.values = new Set([place.values, value]);
  }

  remove(filter: string, value: T): void {
    this.#remove(this.#root, filter.split('/'), 0, value);
  }

  /** What a topic meets; a value comes once for each of its filters. */
  match(topic: string): T[] {
    const found: T[] = [];
    this.#match(this.#root, topic.split('/'), 0, found);
    return found;
  }

  get isEmpty(): boolean {
    return this.#root.below === null;
  }

  #match(place: Level<T>, parts: readonly string[], index: number, found: T[]): void {
    const { below } = place;
    if (below === null) {
      if (index === parts.length) collect(place, found);
      return;
    }
    const rest = below.get('#');
    if (rest) collect(rest, found);
    const part = parts[index];
    if (part === undefined) {
      collect(place, found);
      return;
    }
    // A topic has no wildcards of its own: one named `#` or `+` meets nothing by its name.
    const named = part === '#' || part === '+' ? undefined : below.get(part);
    if (named) this.#match(named, parts, index + 1, found);
    const any = below.get('+');
    if (any) this.#match(any, parts, index + 1, found);
  }

  #remove(place: Level<T>, parts: readonly string[], index: number, value: T): void {
    const part = parts[index];
    if (part === undefined) {
      if (place.values === value) place.values = null;
      else if (place.values instanceof Set) {
        place.values.delete(value);
        if (place.values.size === 0) place.values = null;
      }
      return;
    }
    const next = place.below?.get(part);
    if (!next || !place.below) return;
    this.#remove(next, parts, index + 1, value);
    if (next.values !== null || next.below !== null) return;
    place.below.delete(part);
    if (place.below.size === 0) place.below = null;
  }
}

function collect<T>({ values }: Level<T>, found: T[]): void {
  if (values === null) return;
  if (values instanceof Set) found.push(...values);
  else found.push(values);
}

/** Whether a topic meets a filter of MQTT. */
export function meets(filter: string, topic: string): boolean {
  const wanted = filter.split('/');
  const parts = topic.split('/');
  for (const [index, part] of wanted.entries()) {
    if (part === '#') return true;
    if (index >= parts.length || (part !== '+' && part !== parts[index])) return false;
  }
  return wanted.length === parts.length;
}
