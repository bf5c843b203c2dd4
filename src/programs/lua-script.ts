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

/** The content of a pair of them. */
interface Part {
  /** The places where its arguments begin. */
  readonly starts: number[];
  /** The place of the closer; the number of tokens if there is none. */
  end: number;
}

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
  /** By the place of the opener. */
  readonly #parts = new Map<number, Part>();
  /** Names that the script gives to its own variables. */
  readonly #own = new Set<string>();
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
    this.#findParts();
    for (const place of this.placesOf('local', 'for', 'function')) this.#declare(place);
    for (const place of this.placesOf('='))
      if (!['.', ':', ',', '{', ';'].includes(this.at(place - 2))) this.#own.add(this.at(place - 1));
  }

  #findParts(): void {
    const open: Part[] = [];
    for (const place of this.#tokens.keys()) {
      const text = this.at(place);
      if (closers.has(text)) {
        const part = open.pop();
        if (part) part.end = place;
      } else if (openers.has(text)) {
        const part = { starts: [place + 1], end: this.#tokens.length };
        this.#parts.set(place, part);
        open.push(part);
      } else if (text === ',') open.at(-1)?.starts.push(place + 1);
    }
  }

  /** Finds the names that `local`, `for` or the parameters of a function declare. */
  #declare(place: number): void {
    let at = place + 1;
    if (this.at(place) === 'function') {
      if (this.at(at + 1) === '(') this.#own.add(this.at(at));
      while (this.#tokens[at]?.kind === 'name' || ['.', ':'].includes(this.at(at))) at++;
      at++;
    }
    for (; this.#tokens[at]?.kind === 'name'; at += 2) {
      this.#own.add(this.at(at));
      if (this.at(at + 1) !== ',') break;
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

  /** The places of names that are variables of Lua, not fields and not the script's own. */
  variablePlaces(...names: readonly string[]): readonly number[] {
    const isVariable = (place: number) => !['.', ':'].includes(this.at(place - 1)) && this.at(place + 1) !== '=';
    return this.placesOf(...names.filter((name) => !this.#own.has(name))).filter(isVariable);
  }

  variables(...names: readonly string[]): readonly LuaToken[] {
    return this.tokensAt(this.variablePlaces(...names));
  }

  /** Fields of a library, as `table.move`; of `string` also methods that no table of the script has. */
  fields(library: string, ...names: readonly string[]): readonly LuaToken[] {
    const isField = (place: number) => this.at(place - 1) === '.' && this.at(place - 2) === library;
    const isDefined = (place: number) => this.at(place + 1) === '=' || this.at(place - 3) === 'function';
    return names.flatMap((name) => {
      const places = this.placesOf(name);
      const hasMethod = library === 'string' && !places.some(isDefined);
      return this.tokensAt(places.filter((place) => isField(place) || (hasMethod && this.at(place - 1) === ':')));
    });
  }

  /** Texts in quotes that match a pattern. */
  quoted(pattern: RegExp): readonly LuaToken[] {
    return this.texts.filter(({ text }) => quote.test(text) && pattern.test(text));
  }

  /** The texts that are an argument of functions of `string`, as `("text"):find` has its first, too. `index`: of the argument, from 0. */
  textArguments(index: number, ...names: readonly string[]): readonly LuaToken[] {
    return this.placesOf(...names).flatMap((place) => {
      const others = index - (this.at(place - 1) === ':' ? 1 : 0);
      const token = this.#tokens[others < 0 ? place - 3 : (this.#parts.get(place + 1)?.starts[others] ?? -1)];
      return this.at(place + 1) === '(' && token?.kind === 'text' ? [token] : [];
    });
  }

  /** The number of arguments of a call whose parenthesis is at `place`. */
  argumentCount(place: number): number {
    return this.at(place + 1) === ')' ? 0 : (this.#parts.get(place)?.starts.length ?? 0);
  }

  /** Whether the name at a place is called, and further values than the first of its results are used. */
  usesMoreResults(place: number): boolean {
    const isText = this.#tokens[place + 1]?.kind === 'text';
    if (!isText && this.at(place + 1) !== '(') return false;
    const before = this.at(place - 1);
    if (before === '=') return this.at(place - 3) === ',';
    if (before === '(' && !this.#isCallee(place - 2)) return false;
    const after = this.#tokens[isText ? place + 2 : (this.#parts.get(place + 1)?.end ?? place) + 1];
    const isLast = after?.kind !== 'symbol' || [')', '}', ';'].includes(after.text);
    return ['return', ',', '(', '{'].includes(before) && isLast && !['and', 'or'].includes(after?.text ?? '');
  }

  /** Whether an expression that can be called ends at a place, so that a parenthesis or a text behind it is a call. */
  #isCallee(place: number): boolean {
    return /^([A-Za-z_]\w*|[)\]])$/.test(this.at(place)) && !keywords.has(this.at(place));
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
    const last = (this.#parts.get(place)?.end ?? place) - 1;
    // The last one ends with a call, or with `f"text"`.
    const isOpen =
      this.#tokens[last]?.kind === 'text' ? this.#isCallee(last - 1) : [')', '}', '...'].includes(this.at(last));
    return { count, isOpen: count > 0 && isOpen };
  }
}
