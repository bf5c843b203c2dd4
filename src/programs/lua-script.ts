import type { LuaToken } from '../core/lua-tokens.mjs';
import { luaTokens } from '../core/lua-tokens.mjs';

const quote = /^["']/;

/** Words of Lua that stand before a parenthesis, and are no functions. */
const keywords: ReadonlySet<string> = new Set(
  'and break do else elseif end false for function goto if in local nil not or repeat return then true until while'.split(
    ' ',
  ),
);

/** Words and symbols that begin and end parts, whose commas are their own. */
const openers: ReadonlySet<string> = new Set(['(', '{', '[', 'function', 'do', 'then', 'repeat']);
const closers: ReadonlySet<string> = new Set([')', '}', ']', 'end', 'until', 'elseif']);

/** A call of a function by its name. */
interface LuaFunctionCall {
  readonly name: string;
  readonly line: number;
  /** The number of its arguments. */
  readonly count: number;
  /** Whether the last argument may be any number of values. */
  readonly isOpen: boolean;
}

/** The tokens of a script, as checks look for them. */
export class LuaScript {
  /** Without comments. */
  readonly #tokens: readonly LuaToken[];
  /** The places of each name in the tokens. */
  readonly #places = new Map<string, number[]>();
  readonly comments: readonly LuaToken[];
  readonly texts: readonly LuaToken[];
  readonly numbers: readonly LuaToken[];

  constructor(code: string) {
    const tokens = luaTokens(code);
    const ofKind = (kind: LuaToken['kind']) => tokens.filter((token) => token.kind === kind);
    [this.comments, this.texts, this.numbers] = [ofKind('comment'), ofKind('text'), ofKind('number')];
    this.#tokens = tokens.filter(({ kind }) => kind !== 'comment');
    for (const [index, { kind, text }] of this.#tokens.entries()) {
      if (kind === 'text') continue;
      const places = this.#places.get(text);
      if (places) places.push(index);
      else this.#places.set(text, [index]);
    }
  }

  /** The text of the token at a place; '' for texts in quotes, and where there is none. */
  at(place: number): string {
    const token = this.#tokens[place];
    return token === undefined || token.kind === 'text' ? '' : token.text;
  }

  /** The places of names and symbols. */
  placesOf(...texts: readonly string[]): readonly number[] {
    return texts.flatMap((text) => this.#places.get(text) ?? []);
  }

  tokensAt(places: readonly number[]): readonly LuaToken[] {
    return places.flatMap((place) => this.#tokens[place] ?? []);
  }

  /** Names that are variables, not fields. */
  variables(...names: readonly string[]): readonly LuaToken[] {
    const isVariable = (place: number) => !['.', ':'].includes(this.at(place - 1)) && this.at(place + 1) !== '=';
    return this.tokensAt(this.placesOf(...names).filter(isVariable));
  }

  /** Fields of a library, as `table.move`; of `string` also methods. */
  fields(library: string, ...names: readonly string[]): readonly LuaToken[] {
    const isField = (place: number) =>
      (this.at(place - 1) === '.' && this.at(place - 2) === library) ||
      (library === 'string' && this.at(place - 1) === ':');
    return this.tokensAt(this.placesOf(...names).filter(isField));
  }

  /** Texts in quotes that match a pattern. */
  quoted(pattern: RegExp): readonly LuaToken[] {
    return this.texts.filter(({ text }) => quote.test(text) && pattern.test(text));
  }

  /** The texts that are an argument of functions of `string`. `index`: of the argument, from 0. */
  textArguments(index: number, ...names: readonly string[]): readonly LuaToken[] {
    return this.placesOf(...names).flatMap((place) => {
      if (this.at(place + 1) !== '(') return [];
      const argument = this.#argument(place + 2, index - (this.at(place - 1) === ':' ? 1 : 0));
      const token = this.#tokens[argument];
      return token?.kind === 'text' ? [token] : [];
    });
  }

  /** The number of arguments of a call whose parenthesis is at `place`. */
  argumentCount(place: number): number {
    let count = 0;
    while (this.#argument(place + 1, count) >= 0) count++;
    return this.at(place + 1) === ')' ? 0 : count;
  }

  /** The calls of functions that the script only calls: it does not define them. */
  calls(): readonly LuaFunctionCall[] {
    const isOfTable = (place: number) => ['.', ':'].includes(this.at(place - 1));
    const isCall = (place: number) =>
      this.at(place - 1) !== 'function' &&
      (['(', '{'].includes(this.at(place + 1)) || this.#tokens[place + 1]?.kind === 'text');
    return [...this.#places].flatMap(([name, all]) => {
      const places = all.filter((place) => !isOfTable(place));
      const isName = this.#tokens[places[0] ?? -1]?.kind === 'name' && !keywords.has(name);
      if (!isName || !places.every(isCall)) return [];
      return places.map((place) => ({
        name,
        line: this.#tokens[place]?.line ?? 0,
        ...(this.at(place + 1) === '(' ? this.#argumentsIn(place + 1) : { count: 1, isOpen: false }),
      }));
    });
  }

  /** The arguments of a call whose parenthesis is at `place`. */
  #argumentsIn(place: number): Pick<LuaFunctionCall, 'count' | 'isOpen'> {
    const count = this.argumentCount(place);
    let end = this.#argument(place + 1, Math.max(0, count - 1));
    for (let depth = 0; end >= 0 && end < this.#tokens.length; end++) {
      if (openers.has(this.at(end))) depth++;
      else if (closers.has(this.at(end)) && --depth < 0) break;
    }
    const isText = this.#tokens[end - 1]?.kind === 'text';
    const last = isText ? this.at(end - 2) : this.at(end - 1);
    // The last one ends with a call, or with `f"text"`.
    const isOpen = isText
      ? /^([A-Za-z_]\w*|[)\]])$/.test(last) && !keywords.has(last)
      : [')', '}', '...'].includes(last);
    return { count, isOpen: count > 0 && isOpen };
  }

  /** The place of the argument with an index, counted from `place`; -1 if there is none. */
  #argument(place: number, index: number): number {
    let left = index;
    let depth = 0;
    for (let at = place; at < this.#tokens.length; at++) {
      if (depth === 0 && left === 0) return at;
      const text = this.at(at);
      if (openers.has(text)) depth++;
      else if (closers.has(text) && --depth < 0) return -1;
      else if (text === ',' && depth === 0) left--;
    }
    return -1;
  }
}
