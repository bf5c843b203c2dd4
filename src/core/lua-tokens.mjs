// Plain JavaScript, because the thread of the virtual robot's Lua runs from the source, too.

const space = /[ \t\v\f\r\n]+/y;
const word = /[A-Za-z_][A-Za-z0-9_]*/y;
const number = /0[xX][\dA-Fa-f]*\.?[\dA-Fa-f]*(?:[pP][+-]?\d+)?|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const opening = /\[=*\[/y;
const symbol = /\.\.\.?|::|\/\/|<<|>>|[=~<>]=|./sy;

/** Returns where the match of a sticky pattern ends; the start if there is none. */
function endOf(pattern, source, start) {
  pattern.lastIndex = start;
  return pattern.test(source) ? pattern.lastIndex : start;
}

/** Returns where a text in quotes ends; 0 if its line ends before. */
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
