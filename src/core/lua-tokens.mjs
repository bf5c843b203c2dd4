// Plain JavaScript, because the thread of the virtual robot's Lua runs from the source, too.

const space = /[ \t\v\f\r\n]+/y;
const word = /[A-Za-z_][A-Za-z0-9_]*/y;
const number = /0[xX][\dA-Fa-f]*\.?[\dA-Fa-f]*(?:[pP][+-]?\d+)?|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const opening = /\[=*\[/y;
const symbol = /\.\.\.?|::|\/\/|<<|>>|[=~<>]=|./sy;

/** Returns the end of the match of a sticky pattern; the start if there is none. */
function endOf(pattern, source, start) {
  pattern.lastIndex = start;
  return pattern.test(source) ? pattern.lastIndex : start;
}

/** Returns the end of a text in quotes; 0 if its line ends before. */
function endOfQuoted(source, start) {
  const quote = source[start];
  for (let at = start + 1; at < source.length && source[at] !== '\n'; at++) {
    if (source[at] === quote) return at + 1;
    if (source[at] !== '\\') continue;
    at++;
    if (source[at] === 'z') at = endOf(space, source, at + 1) - 1;
  }
  return 0;
}

/**
 * Splits Lua into tokens as the robot's Lua does: only `--[[` begins a comment of several lines. Spaces are left out. Tokens are
 * `comment`, `text`, `name`, `number`, `symbol`, and at most one `bad` at the end, which is text or a comment without an end.
 */
export function luaTokens(source) {
  const tokens = [];
  const lastEnds = new Map();
  /** Each character is searched once: many openings without an end would take quadratic time. */
  const endOfLong = (start, close) => {
    if (!lastEnds.has(close)) lastEnds.set(close, source.lastIndexOf(close));
    return lastEnds.get(close) < start ? 0 : source.indexOf(close, start) + close.length;
  };
  let line = 1;
  let lineEnd = source.indexOf('\n');
  for (let at = endOf(space, source, 0); at < source.length; at = endOf(space, source, at)) {
    for (; lineEnd >= 0 && lineEnd < at; lineEnd = source.indexOf('\n', lineEnd + 1)) line++;
    const start = at;
    let kind = 'symbol';
    if (source.startsWith('--', at)) {
      kind = 'comment';
      const newline = source.indexOf('\n', at);
      if (source.startsWith('[[', at + 2)) at = endOfLong(at + 4, ']]');
      else at = newline < 0 ? source.length : newline;
    } else if (source[at] === '"' || source[at] === "'") {
      kind = 'text';
      at = endOfQuoted(source, at);
    } else if (endOf(opening, source, at) > at) {
      kind = 'text';
      const end = opening.lastIndex;
      at = endOfLong(end, source.slice(at, end).replaceAll('[', ']'));
    } else if (endOf(word, source, at) > at) {
      kind = 'name';
      at = word.lastIndex;
    } else if (endOf(number, source, at) > at) {
      kind = 'number';
      at = number.lastIndex;
    } else at = endOf(symbol, source, at);
    if (at === 0) {
      tokens.push({ kind: 'bad', text: source.slice(start), start, line });
      break;
    }
    tokens.push({ kind, text: source.slice(start, at), start, line });
  }
  return tokens;
}

/** Replaces characters as the robot does, which reads each byte of UTF-8 as a character. */
const asBytes = (text) => (/[^\0-\x7f]/.test(text) ? Buffer.from(text).toString('latin1') : text);

/** Writes a byte of an escape sequence as the robot does, in UTF-8. */
const byteOf = (code) =>
  [...Buffer.from(String.fromCharCode(code))].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');

const escapeSequence = /\\(?:(\d{1,3})|x([\dA-Fa-f]{2})|(.))/gs;

/** Escape sequences that mean the same in Lua 5.4. */
const kept = new Set(['n', 'r', 't', 'v', 'b', 'f', 'z', '\\', '"', "'", '\n', '\r']);
const ofRobot = new Map([
  ['e', '\\x1b'],
  ['s', ' '],
  ['d', '\\x7f'],
]);

/** Returns a text of the robot as one of Lua 5.4. Sequences that neither knows are left, so that Lua reports them. */
function textOf(text) {
  if (text.startsWith('[')) return asBytes(text);
  return asBytes(text).replace(escapeSequence, (whole, decimal, hex, letter) => {
    if (decimal) return Number(decimal) < 128 || Number(decimal) > 255 ? whole : byteOf(Number(decimal));
    if (hex) return byteOf(Number.parseInt(hex, 16));
    if (kept.has(letter) || letter === 'x') return whole;
    return ofRobot.get(letter) ?? letter;
  });
}

/** Returns the text of a token as Lua 5.4 must have it to read it like the robot. */
export function plainTextOf({ kind, text }) {
  if (kind === 'text') return textOf(text);
  // In Lua 5.4 this comment would go on in the next lines.
  return kind === 'comment' && /^--\[=+\[/.test(text) ? `-- ${text.slice(2)}` : text;
}

/** Returns a script of the robot that Lua 5.4 can compile if it is Lua for the robot: with its texts and comments, not its operators. */
export function toPlainLua(source) {
  if (!/\\|--\[=|[^\0-\x7f]/.test(source)) return source;
  let plain = '';
  let end = 0;
  for (const token of luaTokens(source)) {
    plain += source.slice(end, token.start) + plainTextOf(token);
    end = token.start + token.text.length;
  }
  return plain + source.slice(end);
}
