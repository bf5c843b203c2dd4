// Reads Markdown line by line: tells prose, links and headings apart, and fills paragraphs.
import { dirname, join } from 'node:path';

/** Maximum length of a line of prose, in characters. Tables, code and headings may be longer. */
export const lineWidth = 120;

const fence = /^\s*(```+|~~~+)/;
const listItem = /^(\s*)([-*+]|\d+[.)]) +/;
const definition = /^\s*\[[^\]]+\]:\s/;

/** Returns `{ text, kind }` of each line: `code`, `heading`, `table`, `blank`, `other` or `prose`. */
export function markdownLines(document) {
  let open = null;
  let isComment = false;
  return document.split('\n').map((text) => {
    const mark = fence.exec(text)?.[1];
    if (open !== null) {
      if (mark?.startsWith(open) && text.trim() === mark) open = null;
      return { text, kind: 'code' };
    }
    if (mark !== undefined) {
      open = mark;
      return { text, kind: 'code' };
    }
    if (isComment || text.startsWith('<!--')) {
      isComment = !text.includes('-->');
      return { text, kind: 'other' };
    }
    if (text.trim() === '') return { text, kind: 'blank' };
    if (/^#{1,6} /.test(text)) return { text, kind: 'heading' };
    if (/^\s*\|/.test(text)) return { text, kind: 'table' };
    if (definition.test(text) || /^\s*(<|!\[)/.test(text) || /^\s*(-{3,}|={3,})$/.test(text))
      return { text, kind: 'other' };
    return { text, kind: 'prose' };
  });
}

/** Splits text at spaces, but not inside of code and links, and not before text that would begin a list, a heading or a quotation. */
function wordsOf(text) {
  const words = [];
  for (const word of text.match(/(?:`+[^`]*`+|!?\[[^\]]*\]\([^)\s]*\)|[^\s`])+/g) ?? []) {
    if (words.length > 0 && /^([-+*>|=]|#{1,6}|\d+[.)])$|^[>|]/.test(word)) words[words.length - 1] += ` ${word}`;
    else words.push(word);
  }
  return words;
}

/** Returns the lines of a paragraph or list item, filled. */
function fill(lines) {
  const [, space = '', sign = ''] = listItem.exec(lines[0]) ?? [/^\s*/.exec(lines[0])[0], /^\s*/.exec(lines[0])[0]];
  const first = sign === '' ? space : listItem.exec(lines[0])[0];
  const next = ' '.repeat(first.length);
  const words = wordsOf([lines[0].slice(first.length), ...lines.slice(1).map((line) => line.trim())].join(' '));
  const filled = [];
  let line = first;
  let isEmpty = true;
  for (const word of words) {
    if (!isEmpty && `${line} ${word}`.length > lineWidth) {
      filled.push(line);
      line = next + word;
    } else line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  filled.push(line);
  return filled;
}

/** Returns a document in which the paragraphs with lines that are too long are filled. */
export function filled(document) {
  const result = [];
  let paragraph = [];
  const flush = () => {
    const isLong = paragraph.some((line) => line.length > lineWidth);
    result.push(...(isLong ? fill(paragraph) : paragraph));
    paragraph = [];
  };
  for (const { text, kind } of markdownLines(document)) {
    if (kind !== 'prose' || listItem.test(text)) flush();
    if (kind === 'prose') paragraph.push(text);
    else result.push(text);
  }
  flush();
  return result.join('\n');
}

/** Returns the anchors of a document's headings, as GitHub derives them. */
export function anchorsOf(document) {
  const anchors = new Set();
  for (const { text, kind } of markdownLines(document)) {
    if (kind !== 'heading') continue;
    const title = text.replace(/^#+ /, '').replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1');
    const base = title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .trim()
      .replaceAll(' ', '-');
    let anchor = base;
    for (let n = 1; anchors.has(anchor); n++) anchor = `${base}-${n}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Returns `{ target, line }` of each link and image outside of code; `line` begins with 1. */
export function linksOf(document) {
  const lines = markdownLines(document).map(({ text, kind }) => (kind === 'code' ? '' : text));
  // A link may continue on the next line, but code may not hide a line.
  const text = lines.join('\n').replace(/(`+)(?!`)[^`]*\1/g, (code) => code.replace(/[^\n]/g, ' '));
  const pattern = /\]\(\s*<?([^()\s>]+(?:\([^()\s]*\)[^()\s>]*)*)>?(?:\s+"[^"]*")?\s*\)|^\s*\[[^\]]+\]:\s+(\S+)/gm;
  return [...text.matchAll(pattern)].map((match) => ({
    target: match[1] ?? match[2],
    line: text.slice(0, match.index + match[0].length).split('\n').length,
  }));
}

/** Returns the paths, from the root, that documents link to or show as pictures. */
export const linkedPaths = (documents, read) =>
  new Set(documents.flatMap((file) => linksOf(read(file)).map(({ target }) => join(dirname(file), target))));
