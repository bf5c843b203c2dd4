/** Maximum number of problems reported for one program. */
export const maxProblems = 100;

/**
 * `structure`: invalid or too many nodes. `language`: nodes that do not fit together or name missing records.
 * `length`: overlong texts. Each is reported under its own key. [rule P18]
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
  | 'comment_too_long'
  | 'lua_syntax'
  | 'unknown_variable'
  | 'unset_variable';

/** A problem of a program and its location. */
export interface ProgramProblem {
  readonly class: ProblemClass;
  readonly code: ProblemCode;
  /** A JSON pointer into the body of the request (`args` and `body` of a sequence): `/body/2/args/location`. */
  readonly path: string;
  /** A sentence for users. */
  readonly message: string;
}

/** Maximum length of a client's text in a message, in characters. */
const maxQuotedLength = 60;

/** Maximum length of a reported path, in characters. */
const maxPathLength = 1000;

/** The roots whose body consists of steps. */
const stepRoots: readonly unknown[] = ['sequence', 'rpc_request'];

/** The location of a node or value: its parent and the argument's name or the index in the body. The root has its kind as slot. */
export class Place {
  readonly parent: Place | null;
  readonly slot: string | number;

  constructor(parent: Place | null, slot: string | number) {
    this.parent = parent;
    this.slot = slot;
  }

  /** The location as a JSON pointer; empty for the root. */
  get path(): string {
    const parts: string[] = [];
    for (let place: Place | null = this; place.parent; place = place.parent)
      parts.push(
        typeof place.slot === 'number'
          ? `/body/${place.slot}`
          : `/args/${printableText(place.slot).replaceAll('~', '~0').replaceAll('/', '~1')}`,
      );
    return parts.reverse().join('').slice(0, maxPathLength);
  }

  /** The beginning of a message: the step or entry that holds the location. */
  get part(): string {
    let place: Place = this;
    while (place.parent?.parent) place = place.parent;
    if (!place.parent) return '';
    if (typeof place.slot !== 'number') return 'Variables: ';
    return `${stepRoots.includes(place.parent.slot) ? 'Step' : 'Entry'} ${place.slot + 1}: `;
  }
}

export const rootPlace = (kind: string): Place => new Place(null, kind);

/** Returns the name of a kind for messages; the internal roots of regimens and farm events are named after their owner. */
export const kindName = (kind: string): string => printableText(kind.replace(/^internal_/, ''));

/** Creates a problem whose message begins with the part of the program. */
export const problem = (kind: ProblemClass, code: ProblemCode, place: Place, message: string): ProgramProblem => ({
  class: kind,
  code,
  path: place.path,
  message: `${place.part}${message}`,
});

/** Returns a client's text for a message: truncated, without control and formatting characters. */
export function printableText(text: string): string {
  const cut = text.slice(0, maxQuotedLength).toWellFormed();
  const plain = cut.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ufffd]+/gu, ' ').trim();
  return text.length > maxQuotedLength ? `${plain}…` : plain;
}
