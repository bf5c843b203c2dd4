import type { Message } from '../core/message.ts';
import { say } from './check-messages.ts';
import { printableText } from './printable-text.ts';

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
  | 'lua_dialect'
  | 'unknown_function'
  | 'wrong_arguments'
  | 'unread_pin'
  | 'unknown_variable'
  | 'unset_variable';

/** A problem of a program and its location. */
export interface ProgramProblem {
  readonly class: ProblemClass;
  readonly code: ProblemCode;
  /** A JSON pointer into the body of the request (`args` and `body` of a sequence): `/body/2/args/location`. */
  readonly path: string;
  /** The line of Lua, from 1. */
  readonly line?: number;
  /** A sentence for users, which says in which step it is. */
  readonly message: Message;
  /** The same without the step, for people who see it there. */
  readonly inPlace: Message;
}

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

  /** The step or entry that holds the location. */
  get #part(): Place {
    let place: Place = this;
    while (place.parent?.parent) place = place.parent;
    return place;
  }

  /** Whether it is in a step, where people see its problems. */
  get isInStep(): boolean {
    const { parent, slot } = this.#part;
    return typeof slot === 'number' && parent !== null && stepRoots.includes(parent.slot);
  }

  /** Returns a sentence that begins with the step or entry. */
  introduce(sentence: Message): Message {
    const { parent, slot } = this.#part;
    if (parent === null) return sentence;
    if (typeof slot !== 'number') return say.inVariables(sentence);
    return (this.isInStep ? say.inStep : say.inEntry)(slot + 1, sentence);
  }
}

export const rootPlace = (kind: string): Place => new Place(null, kind);

/** Returns a problem whose message begins with the part of the program. */
export function problem(kind: ProblemClass, code: ProblemCode, place: Place, sentence: Message): ProgramProblem {
  const message = place.introduce(sentence);
  return { class: kind, code, path: place.path, message, inPlace: place.isInStep ? sentence : message };
}

/** Returns a problem of a field of the program. */
export const fieldProblem = (code: ProblemCode, path: string, message: Message): ProgramProblem => ({
  class: 'structure',
  ...{ code, path, message, inPlace: message },
});
