// Writes a script of the robot's Lua as a script of Lua 5.4, with the same lines.
import { luaTokens, plainTextOf } from '../../core/lua-tokens.mjs';

/** Left and right priorities of operators, as in the manual of Lua. */
const priorities = new Map(
  Object.entries({
    ...{ or: [1, 1], and: [2, 2] },
    ...{ '<': [3, 3], '>': [3, 3], '<=': [3, 3], '>=': [3, 3], '~=': [3, 3], '==': [3, 3] },
    ...{ '|': [4, 4], '~': [5, 5], '&': [6, 6], '<<': [7, 7], '>>': [7, 7], '..': [9, 8] },
    ...{ '+': [10, 10], '-': [10, 10], '*': [11, 11], '/': [11, 11], '//': [11, 11], '%': [11, 11], '^': [14, 13] },
  }),
);
const unary = 12;

/** The robot's `~` binds as loosely with one operand as with two: `~5 & 2` is `~(5 & 2)`. */
const unaryNot = 5;

/** The operators that are functions of dialect.lua instead, which get their operands. */
const functions = new Map(
  Object.entries({
    ...{ '*': 'multiply', '//': 'divide_whole', '%': 'modulo' },
    ...{ '<<': 'shift_left', '>>': 'shift_right' },
  }),
);

/** The operators whose results a function of dialect.lua checks. */
const checked = new Set(['/', '^']);

/** The functions of dialect.lua that scripts call, in this order. */
export const operatorNames = [...functions.values(), 'finite', 'text', 'length', 'bound'];

const blockEnds = new Set(['end', 'else', 'elseif', 'until']);

/** Longer names, and more fields of fields, are left out of messages. */
const [maxNameLength, maxNameParts] = [40, 7];

/** Returns whether a number with a point or an exponent is too great. */
const isTooGreat = (text) =>
  /^0x/i.test(text)
    ? Number.parseInt(text, 16) * 2 ** Number(/p(.*)/i.exec(text)?.[1] ?? 0) === Number.POSITIVE_INFINITY
    : /[.e]/i.test(text) && Number(text) === Number.POSITIVE_INFINITY;

/** Writes tokens with the space between them; `edits`: text before or after a token, or instead of it. */
function write(source, tokens, edits) {
  let written = '';
  let end = 0;
  for (const token of tokens) {
    const { before = '', instead, after = '' } = edits.get(token) ?? {};
    written += source.slice(end, token.start);
    written += `${before}${instead ?? plainTextOf(token)}${after}`;
    end = token.start + token.text.length;
  }
  return written + source.slice(end);
}

/** Reads a script that is Lua, and collects the edits that replace its operators by calls. */
class Reader {
  /** Without comments. */
  #tokens;
  #at = 0;
  edits = new Map();
  #prefix;

  constructor(tokens, prefix) {
    this.#tokens = tokens.filter(({ kind }) => kind !== 'comment');
    this.#prefix = prefix;
  }

  get #text() {
    const token = this.#tokens[this.#at];
    return token === undefined || token.kind === 'text' ? '' : token.text;
  }

  get #isAtEnd() {
    return this.#at >= this.#tokens.length;
  }

  #accept(text) {
    if (this.#text !== text) return false;
    this.#at++;
    return true;
  }

  #skipTo(text) {
    while (!this.#accept(text)) if (++this.#at > this.#tokens.length) throw new Error('This is not Lua.');
  }

  #reject(what) {
    throw new Error(`line:${this.#tokens[this.#at - 1].line}: the robot has no ${what}`);
  }

  #edit(index) {
    const token = this.#tokens[index];
    const edit = this.edits.get(token) ?? { before: '', after: '' };
    this.edits.set(token, edit);
    return edit;
  }

  /** Writes a call around the tokens from `start` to the last one that was read. Parentheses keep it from being a tail call. */
  #call(name, start, names = '') {
    const first = this.#edit(start);
    first.before = `(${this.#prefix}${name}(${first.before}`;
    this.#edit(this.#at - 1).after += names === '' || names === '|' ? '))' : `,"${names}"))`;
  }

  block() {
    while (!this.#isAtEnd && !blockEnds.has(this.#text)) this.#statement();
  }

  #blockAndEnd() {
    this.block();
    this.#at++;
  }

  #statement() {
    const start = this.#text;
    this.#at++;
    switch (start) {
      case ';':
      case 'break':
        return;
      case '::':
      case 'goto':
        return this.#reject('goto');
      case 'do':
        return this.#blockAndEnd();
      case 'while':
        this.#expression();
        this.#at++;
        return this.#blockAndEnd();
      case 'repeat':
        this.#blockAndEnd();
        return this.#expression();
      case 'if':
        return this.#branches();
      case 'for':
        return this.#loop();
      case 'function':
        this.#skipTo('(');
        return this.#functionBody();
      case 'local':
        return this.#local();
      case 'return':
        if (!this.#isAtEnd && !blockEnds.has(this.#text) && this.#text !== ';') this.#expressions();
        this.#accept(';');
        return;
      default:
        this.#at--;
        this.#expressions();
        if (this.#accept('=')) this.#expressions();
    }
  }

  #branches() {
    do {
      this.#expression();
      this.#at++;
      this.block();
    } while (this.#accept('elseif'));
    if (this.#accept('else')) this.block();
    this.#at++;
  }

  #loop() {
    this.#at++;
    if (this.#accept('=')) {
      do {
        const start = this.#at;
        this.#expression();
        this.#call('bound', start);
      } while (this.#accept(','));
    } else {
      this.#skipTo('in');
      this.#expressions();
    }
    this.#at++;
    this.#blockAndEnd();
  }

  #local() {
    if (this.#accept('function')) {
      this.#at += 2;
      return this.#functionBody();
    }
    do {
      this.#at++;
      if (this.#text === '<') this.#reject('<const> and <close>');
    } while (this.#accept(','));
    if (this.#accept('=')) this.#expressions();
  }

  /** From the first parameter on. */
  #functionBody() {
    this.#skipTo(')');
    this.#blockAndEnd();
  }

  #expressions() {
    do this.#expression();
    while (this.#accept(','));
  }

  /** An expression of operators that bind more than `limit`. Returns the last of them. */
  #expression(limit = 0) {
    const start = this.#at;
    let last = this.#text;
    if (last === 'not' || last === '-' || last === '~' || last === '#') {
      this.#at++;
      this.#expression(last === '~' ? unaryNot : unary);
      if (last === '~') {
        this.#edit(start + 1).before = `(${this.#edit(start + 1).before}`;
        this.#edit(this.#at - 1).after += ')';
      }
      if (last === '#') {
        this.#edit(start).instead = '';
        this.#call('length', start, this.#nameOf(start + 1));
      }
    } else this.#simple();
    for (;;) {
      const symbol = this.#text;
      const [left, right] = priorities.get(symbol) ?? [0, 0];
      if (left <= limit) return last;
      const between = this.#at;
      const names = `${this.#nameOf(start)}|`;
      if (symbol === '..') this.#operandOfConcatenation(start);
      this.#at++;
      const next = this.#expression(right);
      // The rest of `a .. b .. c` is text.
      if (symbol === '..' && next !== '..') this.#operandOfConcatenation(between + 1);
      if (checked.has(symbol)) this.#call('finite', start);
      if (functions.has(symbol)) {
        this.#edit(between).instead = ',';
        this.#call(functions.get(symbol), start, names + this.#nameOf(between + 1));
      }
      last = symbol;
    }
  }

  /** An operand from `start` to the last token that was read; text that stands there needs no function. */
  #operandOfConcatenation(start) {
    if (this.#at - start > 1 || this.#tokens[start].kind !== 'text') this.#call('text', start, this.#nameOf(start));
  }

  /** The name of the variable or field that was read from `start` on, for messages; '' for other operands. */
  #nameOf(start) {
    const count = this.#at - start;
    if (count > maxNameParts) return '';
    const tokens = this.#tokens.slice(start, this.#at);
    const isName = tokens.every(({ kind, text }, index) => (index % 2 === 0 ? kind === 'name' : text === '.'));
    const name = tokens.map(({ text }) => text).join('');
    return isName && name.length <= maxNameLength ? name : '';
  }

  #simple() {
    const token = this.#tokens[this.#at];
    const { text } = token;
    if (token.kind === 'text' || token.kind === 'number' || ['nil', 'true', 'false', '...'].includes(text)) {
      this.#at++;
      if (token.kind === 'number' && isTooGreat(text)) this.#reject('number as great as this');
    } else if (text === '{') this.#table();
    else if (this.#accept('function')) {
      this.#at++;
      this.#functionBody();
    } else this.#suffixed();
  }

  #table() {
    this.#at++;
    while (!this.#accept('}')) {
      if (this.#accept('[')) {
        this.#expression();
        this.#at += 2;
      } else if (this.#tokens[this.#at + 1]?.text === '=') this.#at += 2;
      this.#expression();
      if (!this.#accept(',')) this.#accept(';');
    }
  }

  /** A variable with fields, indexes and calls. */
  #suffixed() {
    if (this.#accept('(')) this.#expression();
    this.#at++;
    for (;;) {
      const token = this.#tokens[this.#at];
      if (token?.kind === 'text') this.#at++;
      else if (this.#text === '.' || this.#text === ':') this.#at += 2;
      else if (this.#text === '{') this.#table();
      else if (this.#accept('[')) {
        this.#expression();
        this.#at++;
      } else if (this.#accept('(')) {
        if (this.#text !== ')') this.#expressions();
        this.#at++;
      } else return;
    }
  }
}

/** Returns a prefix that does not occur in a script, so that the script can neither use nor hide names with it. */
function unusedPrefix(source) {
  for (;;) {
    const prefix = `_${Math.random().toString(36).slice(2)}_`;
    if (!source.includes(prefix)) return prefix;
  }
}

/**
 * Returns a script of the robot, which must be Lua ({@link toPlainLua}), as one of Lua 5.4. It takes the functions of
 * {@link operatorNames} and returns the function of the script. Throws an Error at statements that the robot has not.
 */
export function toStandardLua(source) {
  const tokens = luaTokens(source);
  const prefix = unusedPrefix(source);
  const reader = new Reader(tokens, prefix);
  reader.block();
  const names = operatorNames.map((name) => prefix + name).join(',');
  return `local ${names}=... return function(...) ${write(source, tokens, reader.edits)}\nend`;
}
