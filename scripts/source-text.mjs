// Scans TypeScript to distinguish code from comments, strings, templates and regular expressions.

/** After these keywords a slash begins a regular expression, not a division. */
const beforeExpression = /(?:^|[^\w$.])(?:return|typeof|case|in|of|delete|void|throw|new|else|do|await|yield)$/;

/**
 * Returns the code with comments replaced by spaces, strings by `"n"` (their index in `strings`), and templates and regular
 * expressions emptied. Line breaks are kept.
 */
function scan(text) {
  const strings = [];
  let code = '';
  let position = 0;
  // The ends that the next closing braces mark: blocks or template expressions.
  const braces = [];

  const blank = (skipped) => {
    code += skipped.replace(/[^\n]/g, ' ');
  };
  const startsExpression = () => {
    const before = code.trimEnd();
    return before === '' || /[([{,;=:?!&|+\-*%<>~^}]$/.test(before) || beforeExpression.test(before);
  };
  const readString = (quote) => {
    let end = position + 1;
    while (end < text.length && text[end] !== quote && text[end] !== '\n') end += text[end] === '\\' ? 2 : 1;
    code += `"${strings.push(text.slice(position + 1, end)) - 1}"`;
    position = text[end] === quote ? end + 1 : end;
  };
  const readTemplate = () => {
    let end = position;
    while (end < text.length && text[end] !== '`' && !text.startsWith('${', end)) end += text[end] === '\\' ? 2 : 1;
    code += text.slice(position, end).replace(/[^\n]/g, '');
    if (text[end] === '`' || end >= text.length) {
      code += '`';
      position = end + 1;
    } else {
      code += '${';
      braces.push('template');
      position = end + 2;
    }
  };
  const readExpression = () => {
    let end = position + 1;
    let isInClass = false;
    while (end < text.length && text[end] !== '\n' && (isInClass || text[end] !== '/')) {
      if (text[end] === '[') isInClass = true;
      if (text[end] === ']') isInClass = false;
      end += text[end] === '\\' ? 2 : 1;
    }
    const isExpression = text[end] === '/';
    code += isExpression ? '/ /' : '/';
    position = isExpression ? end + 1 : position + 1;
  };

  while (position < text.length) {
    const character = text[position];
    if (text.startsWith('//', position)) {
      const end = text.indexOf('\n', position);
      blank(text.slice(position, end < 0 ? text.length : end));
      position = end < 0 ? text.length : end;
    } else if (text.startsWith('/*', position)) {
      const end = text.indexOf('*/', position + 2);
      blank(text.slice(position, end < 0 ? text.length : end + 2));
      position = end < 0 ? text.length : end + 2;
    } else if (character === '"' || character === "'") readString(character);
    else if (character === '`') {
      code += '`';
      position++;
      readTemplate();
    } else if (character === '/' && startsExpression()) readExpression();
    else if (character === '}' && braces.pop() === 'template') {
      code += '}';
      position++;
      readTemplate();
    } else {
      if (character === '{') braces.push('block');
      code += character;
      position++;
    }
  }
  return { code, strings };
}

/** The code without comments and the contents of strings, templates and regular expressions; line numbers are kept. */
export const withoutCommentsAndStrings = (text) => scan(text).code;

/** Returns the specifiers of all imports and re-exports, dynamic and type-only ones included, in order. */
export function importsOf(text) {
  const { code, strings } = scan(text);
  const pattern =
    /(?<![\w$.])(?:import\s*\(\s*"(\d+)"|import\s*"(\d+)"|(?:import|export)\b[\w$\s{},*"]*?\bfrom\s*"(\d+)")/g;
  return [...code.matchAll(pattern)].map((match) => strings[Number(match[1] ?? match[2] ?? match[3])]);
}
