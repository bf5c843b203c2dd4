/** A value that a topic tree finds. The fields belong to the tree, so a value is in one tree only. */
export interface TreeValue {
  /** Number of the last search that found the value. */
  foundBy: number;
  /** Highest QoS of the value's filters that matched in that search. */
  foundQos: 0 | 1 | 2;
}

interface Node<T> {
  children: Map<string, Node<T>> | null;
  /** The child `+`. */
  plus: Node<T> | null;
  /** The child `#`. */
  hash: Node<T> | null;
  /** Most filters have one subscriber: a single value needs no map. */
  single: T | null;
  qos: 0 | 1 | 2;
  several: Map<T, 0 | 1 | 2> | null;
}

const newNode = <T>(): Node<T> => ({ children: null, plus: null, hash: null, single: null, qos: 0, several: null });

/** Values by topic filters (`+`, `#`), searched by topic. A value may have several filters. */
export class TopicTree<T extends TreeValue> {
  readonly #root = newNode<T>();
  #search = 0;

  /** Adds a value under a filter, or changes the QoS of one that is there. */
  add(filter: string, value: T, qos: 0 | 1 | 2 = 0): void {
    let node = this.#root;
    for (const level of filter.split('/')) node = childOf(node, level) ?? addChild(node, level);
    if (node.several) node.several.set(value, qos);
    else if (node.single === null || node.single === value) {
      node.single = value;
      node.qos = qos;
    } else {
      node.several = new Map([
        [node.single, node.qos],
        [value, qos],
      ]);
      node.single = null;
    }
  }

  remove(filter: string, value: T): void {
    this.#remove(this.#root, filter.split('/'), 0, value);
  }

  /** Returns the values with a filter that matches, each once. Their `foundQos` is valid until the next search. */
  match(topic: string): T[] {
    const found: T[] = [];
    this.#search++;
    this.#match(this.#root, topic.split('/'), 0, found);
    return found;
  }

  get isEmpty(): boolean {
    return isBare(this.#root);
  }

  #match(node: Node<T>, levels: readonly string[], index: number, found: T[]): void {
    if (node.hash) this.#collect(node.hash, found);
    const level = levels[index];
    if (level === undefined) {
      this.#collect(node, found);
      return;
    }
    // Children are never named `+` or `#`, so these match nothing in a topic.
    const child = node.children?.get(level);
    if (child) this.#match(child, levels, index + 1, found);
    if (node.plus) this.#match(node.plus, levels, index + 1, found);
  }

  #collect({ single, qos, several }: Node<T>, found: T[]): void {
    if (single !== null) this.#addFound(single, qos, found);
    else if (several) for (const [value, granted] of several) this.#addFound(value, granted, found);
  }

  #addFound(value: T, qos: 0 | 1 | 2, found: T[]): void {
    if (value.foundBy !== this.#search) {
      value.foundBy = this.#search;
      value.foundQos = qos;
      found.push(value);
    } else if (qos > value.foundQos) value.foundQos = qos;
  }

  #remove(node: Node<T>, levels: readonly string[], index: number, value: T): void {
    const level = levels[index];
    if (level === undefined) {
      if (node.single === value) node.single = null;
      else if (node.several?.delete(value) && node.several.size === 0) node.several = null;
      return;
    }
    const child = childOf(node, level);
    if (!child) return;
    this.#remove(child, levels, index + 1, value);
    if (!isBare(child)) return;
    if (level === '+') node.plus = null;
    else if (level === '#') node.hash = null;
    else {
      node.children?.delete(level);
      if (node.children?.size === 0) node.children = null;
    }
  }
}

function childOf<T>(node: Node<T>, level: string): Node<T> | null {
  if (level === '+') return node.plus;
  return level === '#' ? node.hash : (node.children?.get(level) ?? null);
}

function addChild<T>(node: Node<T>, level: string): Node<T> {
  const child = newNode<T>();
  if (level === '+') node.plus = child;
  else if (level === '#') node.hash = child;
  else {
    node.children ??= new Map();
    node.children.set(level, child);
  }
  return child;
}

const isBare = <T>({ children, plus, hash, single, several }: Node<T>): boolean =>
  children === null && plus === null && hash === null && single === null && several === null;

/** Returns the number of levels of a topic or a filter. */
export function countLevels(topic: string): number {
  let levels = 1;
  for (let at = topic.indexOf('/'); at !== -1; at = topic.indexOf('/', at + 1)) levels++;
  return levels;
}

/** Whether a topic matches a filter. Allocates nothing: a retained message is compared with each filter of a client. */
export function matchesFilter(filter: string, topic: string): boolean {
  for (let at = 0, from = 0; ; ) {
    const end = endOfLevel(filter, at);
    const isOneCharacter = end === at + 1;
    if (isOneCharacter && filter[at] === '#') return true;
    if (from > topic.length) return false;
    const to = endOfLevel(topic, from);
    const isMatch =
      (isOneCharacter && filter[at] === '+') ||
      (end - at === to - from && equalRanges(filter, at, topic, from, end - at));
    if (!isMatch) return false;
    if (end === filter.length) return to === topic.length;
    at = end + 1;
    from = to + 1;
  }
}

function endOfLevel(text: string, from: number): number {
  const end = text.indexOf('/', from);
  return end === -1 ? text.length : end;
}

function equalRanges(one: string, at: number, other: string, from: number, length: number): boolean {
  for (let index = 0; index < length; index++)
    if (one.charCodeAt(at + index) !== other.charCodeAt(from + index)) return false;
  return true;
}
