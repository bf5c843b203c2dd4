/** Problems of one program that are told at most. */
export const maxProblems = 100;

/**
 * `structure`: not nodes at all, or too many. `language`: nodes that do not go together, or name what is not there.
 * `length`: texts that are too long to be kept. Each has its key in answers. [reference 2.8]
 */
export type ProblemClass = 'structure' | 'language' | 'length';

export type ProblemCode =
  | 'no_node'
  | 'too_deep'
  | 'too_large'
  | 'unknown_kind'
  | 'misplaced'
  | 'missing_argument'
  | 'unknown_argument'
  | 'wrong_type'
  | 'not_allowed'
  | 'unpicked'
  | 'not_found'
  | 'unbound'
  | 'wrong_variable'
  | 'placeholder'
  | 'wrong_length'
  | 'too_great'
  | 'analog_light'
  | 'never_stored'
  | 'text_too_long'
  | 'comment_too_long';

/** What is wrong with a program, and where. */
export interface Problem {
  readonly class: ProblemClass;
  readonly code: ProblemCode;
  /** A JSON pointer into the body of the request (`args` and `body` of a sequence): `/body/2/args/location`. */
  readonly path: string;
  /** A sentence for people. */
  readonly message: string;
}

/** Longest text of a client's that a sentence repeats, in characters. */
const longest = 60;

/** Longest path that is told, in characters. */
const longestPath = 1000;

/** Where a node or value stands: below which other one, as which argument or as which element of the body; of the root, its kind. */
export class Place {
  readonly parent: Place | null;
  readonly slot: string | number;

  constructor(parent: Place | null, slot: string | number) {
    this.parent = parent;
    this.slot = slot;
  }

  /** As a JSON pointer; the root is the empty one. */
  get path(): string {
    const parts: string[] = [];
    for (let place: Place | null = this; place.parent; place = place.parent)
      parts.push(
        typeof place.slot === 'number'
          ? `/body/${place.slot}`
          : `/args/${toPrintable(place.slot).replaceAll('~', '~0').replaceAll('/', '~1')}`,
      );
    return parts.reverse().join('').slice(0, longestPath);
  }

  /** Which part of the program that is, to begin a sentence with. */
  get part(): string {
    let place: Place = this;
    while (place.parent?.parent) place = place.parent;
    if (!place.parent) return '';
    if (typeof place.slot !== 'number') return 'Variables: ';
    return `${place.parent.slot === 'sequence' ? 'Step' : 'Entry'} ${place.slot + 1}: `;
  }
}

export const rootPlace = (kind: string): Place => new Place(null, kind);

/** A kind as sentences call it: what stands around the bodies of regimens and farm events was never sent. */
export const called = (kind: string): string => toPrintable(kind.replace(/^internal_/, ''));

/** A problem at a place, whose sentence begins with the part of the program. */
export const problem = (kind: ProblemClass, code: ProblemCode, place: Place, message: string): Problem => ({
  class: kind,
  code,
  path: place.path,
  message: `${place.part}${message}`,
});

/** A client's text for a sentence: cut, and without what cannot be seen or turns text around. */
export function toPrintable(text: string): string {
  const cut = text.slice(0, longest).toWellFormed();
  const plain = cut.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ufffd]+/gu, ' ').trim();
  return text.length > longest ? `${plain}…` : plain;
}
