import type { LuaToken } from '../core/lua-tokens.mjs';
import { luaTokens } from '../core/lua-tokens.mjs';

const quote = /^["']/;

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

  /** The place of the argument with an index, counted from `place`; -1 if there is none. */
  #argument(place: number, index: number): number {
    let left = index;
    let depth = 0;
    for (let at = place; at < this.#tokens.length; at++) {
      if (depth === 0 && left === 0) return at;
      const text = this.at(at);
      if (['(', '{', '['].includes(text)) depth++;
      else if ([')', '}', ']'].includes(text) && --depth < 0) return -1;
      else if (text === ',' && depth === 0) left--;
    }
    return -1;
  }
}
