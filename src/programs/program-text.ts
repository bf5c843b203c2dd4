import type { ArgRule, KindRule } from './grammar.ts';
import { grammar } from './grammar.ts';
import type { TargetTable } from './targets.ts';
import type { Argument, Node } from './tree.ts';
import { bodyOf, isNode } from './tree.ts';

/** Returns the name of a record, or undefined if it has none. */
export type RecordNames = (target: TargetTable, id: number) => string | undefined;

export interface TextOptions {
  /** The first line. */
  readonly title?: string;
  readonly names?: RecordNames;
}

/** Removes control and formatting characters from a client's text; line ends and tabs stay. */
const visible = (text: string): string =>
  text.replaceAll('\r\n', '\n').replaceAll(/[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}]/gu, ' ');

const oneLine = (text: string): string =>
  visible(text)
    .replaceAll(/\s*\n\s*/g, ' ')
    .trimEnd();

const indented = (lines: readonly string[], by: string): string[] =>
  lines.map((line) => (line === '' ? '' : `${by}${line}`));

/** Prints nodes with the templates of the table. Recursive: the depth of programs is limited when they are parsed. */
class ProgramPrinter {
  readonly #names: RecordNames;

  constructor(names: RecordNames) {
    this.#names = names;
  }

  /** Returns the lines of a node: the first line of its template, then further lines and its body, indented. */
  lines(node: Node): string[] {
    const rule = grammar.get(node.kind);
    if (!rule) return [oneLine(node.kind)];
    const [first = '', ...more] = rule.row.text.split('\n');
    const comment = node.comment?.trim() ? `  # ${oneLine(node.comment.trim())}` : '';
    const below = more.flatMap((line) => this.#below(line, node, rule));
    const body = bodyOf(node).flatMap((child) => this.lines(child));
    return [`${this.#filled(first, node, rule)}${comment}`, ...indented([...below, ...body], '  ')];
  }

  /** Returns the lines for one further line of a template; an argument that is alone on it keeps its own lines. */
  #below(line: string, node: Node, rule: KindRule): string[] {
    const alone = /^\{(\w+)\}$/.exec(line)?.[1];
    const value = alone === undefined ? undefined : node.args[alone];
    if (typeof value === 'string') return value.trim() === '' ? ['(empty)'] : visible(value).trimEnd().split('\n');
    return [this.#filled(line, node, rule)];
  }

  #filled(line: string, node: Node, rule: KindRule): string {
    return line.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const arg = rule.args.get(name);
      // Braces that name no argument stay as they are.
      return arg ? this.#value(node.args[name], arg, node) : `{${name}}`;
    });
  }

  #value(value: Argument | undefined, arg: ArgRule, node: Node): string {
    if (isNode(value)) return this.#phrase(value);
    if (typeof value !== 'number') return typeof value === 'string' ? oneLine(value) : String(value ?? '?');
    const target = this.#targetOf(arg, node);
    const name = target ? this.#names(target, value) : undefined;
    return name === undefined ? String(value) : `${value} "${oneLine(name)}"`;
  }

  #targetOf({ row: { record } }: ArgRule, node: Node): TargetTable | undefined {
    if (typeof record !== 'object') return record;
    const type = node.args[record.arg];
    return typeof type === 'string' && Object.hasOwn(record.targets, type) ? record.targets[type] : undefined;
  }

  /** Returns a node on one line, followed by its body in parentheses. */
  #phrase(node: Node): string {
    const rule = grammar.get(node.kind);
    if (!rule) return oneLine(node.kind);
    const line = this.#filled(rule.row.text.replaceAll('\n', ', '), node, rule);
    const body = bodyOf(node).map((child) => this.#phrase(child));
    return body.length > 0 ? `${line} (${body.join('; ')})` : line;
  }
}

const nameless: RecordNames = () => undefined;

/** Returns one node and its body as text. */
export const nodeText = (node: Node, names: RecordNames = nameless): string =>
  new ProgramPrinter(names).lines(node).join('\n');

/** Prefixes steps with `1. `, `2. `, … of equal width. */
function numbered(steps: readonly string[][]): string[] {
  const width = String(steps.length).length + 2;
  return steps.flatMap(([first = '', ...more], i) => [
    `${`${i + 1}.`.padEnd(width)}${first}`,
    ...indented(more, ' '.repeat(width)),
  ]);
}

/** Returns a checked program as text: variables first, then a numbered, indented list of steps. Ends with a line end. */
export function programText(root: Node, { title, names = nameless }: TextOptions = {}): string {
  const speaker = new ProgramPrinter(names);
  const { locals } = root.args;
  const variables = isNode(locals) ? bodyOf(locals).flatMap((declaration) => speaker.lines(declaration)) : [];
  const steps = bodyOf(root).map((step) => speaker.lines(step));
  const parts = [
    ...(title === undefined ? [] : [[oneLine(title)]]),
    ...(variables.length === 0 ? [] : [['Variables:', ...indented(variables, '  ')]]),
    steps.length === 0 ? ['(no steps)'] : numbered(steps),
  ];
  return `${parts.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}
