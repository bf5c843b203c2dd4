import type { CheckMode } from './diagnostic-collector.ts';
import { DiagnosticCollector } from './diagnostic-collector.ts';
import type { ArgRule, KindRule } from './grammar.ts';
import { grammar, maxCommentLength, maxTextLength } from './grammar.ts';
import type { Visit } from './node-rules.ts';
import { checkNodeRules } from './node-rules.ts';
import { maxProblems, Place, rootPlace } from './problem.ts';
import * as messages from './problem-messages.ts';
import type { CheckedProgram, ProgramUse } from './references.ts';
import type { Argument, Node, Tree } from './tree.ts';
import { isNode } from './tree.ts';

/** A text of this many UTF-16 units fits into {@link maxTextLength} even if every unit is escaped. */
const alwaysShortEnough = Math.floor((maxTextLength - 2) / 6);

/** Returns the number of code points. */
function codePoints(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length; i++) if ((text.charCodeAt(i) & 0xfc00) === 0xd800) count--;
  return count;
}

/** A depth-first walk over one program. */
class Walk {
  readonly diagnostics: DiagnosticCollector;
  readonly #tree: Tree;
  readonly #variables = new Map<string, Node>();
  readonly #stack: Visit[] = [];

  constructor(tree: Tree, mode: CheckMode) {
    this.#tree = tree;
    this.diagnostics = new DiagnosticCollector(tree.problems, mode);
    const { locals } = tree.root.args;
    for (const declaration of isNode(locals) ? (locals.body ?? []) : []) {
      const { label } = declaration.args;
      // The first of equal labels wins. [rule P8]
      if (typeof label === 'string' && !this.#variables.has(label)) this.#variables.set(label, declaration);
    }
  }

  run(): void {
    const { root } = this.#tree;
    const rule = grammar.get(root.kind);
    if (rule) this.#stack.push({ node: root, rule, place: rootPlace(root.kind), parent: null });
    while (!this.diagnostics.isFull) {
      const visit = this.#stack.pop();
      if (!visit) return;
      this.#check(visit);
    }
  }

  /** Checks one node. Of several problems, clients get the first in this order. [rule P6] */
  #check(visit: Visit): void {
    const { node, rule } = visit;
    const children = node.body ? this.#bodyOf(node.body, visit) : [];
    const names = Object.keys(node.args);
    let known = 0;
    for (const name of names) if (rule.args.has(name)) known++;
    if (known < rule.args.size) this.#missing(visit);
    if (known < names.length) this.#unknown(names, visit);
    const nested: Visit[] = [];
    for (const name of names) {
      const child = this.#argument(name, visit);
      if (child) nested.push(child);
    }
    checkNodeRules(visit, this.diagnostics);
    if (node.comment !== undefined) this.#comment(node.comment, visit);
    // A stack: the last one pushed is checked first.
    for (let i = children.length - 1; i >= 0; i--) this.#push(children[i]);
    for (let i = nested.length - 1; i >= 0; i--) this.#push(nested[i]);
  }

  /** Checks an argument. Returns the node in it, if it is an allowed one. */
  #argument(name: string, visit: Visit): Visit | null {
    const { node, rule, place } = visit;
    const arg = rule.args.get(name);
    const value = node.args[name];
    if (!arg || value === undefined) return null;
    if (isNode(value)) return this.#nested(arg, value, visit);
    if (!this.#valueFits(arg, value, visit)) return null;
    if (typeof value === 'string') this.#text(arg, value, visit);
    else if (typeof value === 'number') this.#number(arg, value, rule, place);
    return null;
  }

  #push(visit: Visit | undefined): void {
    if (visit) this.#stack.push(visit);
  }

  /** Returns the children of allowed kinds and reports the others. */
  #bodyOf(body: readonly Node[], { node, rule, place }: Visit): Visit[] {
    const visits: Visit[] = [];
    const positions = this.#tree.positions.get(node);
    for (let i = 0; i < body.length && !this.diagnostics.isFull; i++) {
      const child = body[i];
      if (!child) continue;
      const here = new Place(place, positions?.[i] ?? i);
      const childRule = grammar.get(child.kind);
      if (childRule && rule.body.has(child.kind))
        visits.push({ node: child, rule: childRule, place: here, parent: rule });
      else if (childRule) this.diagnostics.report('misplaced', here, messages.misplaced(child.kind, rule));
      else this.diagnostics.report('unknown_kind', here, messages.unknownKindMessage(child.kind, rule));
    }
    return visits;
  }

  #missing({ node, rule, place }: Visit): void {
    for (const name of rule.args.keys())
      if (!Object.hasOwn(node.args, name))
        this.diagnostics.report('missing_argument', place, messages.missingArgument(rule, name, node));
  }

  #unknown(names: readonly string[], { rule, place }: Visit): void {
    for (const name of names)
      if (!rule.args.has(name))
        this.diagnostics.report('unknown_argument', new Place(place, name), messages.unknownArgument(rule, name));
  }

  /** Returns the node in an argument, or null after reporting that it is not allowed there. */
  #nested(arg: ArgRule, value: Node, { rule, place }: Visit): Visit | null {
    const here = new Place(place, arg.name);
    const { label } = value.args;
    const fits =
      value.kind === 'identifier' && typeof label === 'string'
        ? this.#variableFits(arg, label, rule, here)
        : this.#nodeFits(arg, value, rule, here);
    const valueRule = fits ? grammar.get(value.kind) : undefined;
    return valueRule ? { node: value, rule: valueRule, place: here, parent: rule } : null;
  }

  #nodeFits(arg: ArgRule, value: Node, parent: KindRule, here: Place): boolean {
    if (arg.kinds.has(value.kind)) return true;
    const { pick } = parent.row;
    if (value.kind === 'nothing' && pick)
      this.diagnostics.report('unpicked', here, messages.notPicked(parent.kind, pick));
    else this.diagnostics.report('wrong_type', here, messages.wrongType(arg, parent, value));
    return false;
  }

  /** Accepts a parameter where variables are allowed, and a variable with a fixed value in each place that accepts its value. [rule P8] */
  #variableFits(arg: ArgRule, label: string, parent: KindRule, here: Place): boolean {
    const declaration = this.#variables.get(label);
    if (!declaration) {
      const hasScope = this.#tree.root.kind === 'sequence';
      this.diagnostics.report('unbound', here, messages.unbound(arg, parent, label, hasScope));
      return false;
    }
    const value = declaration.kind === 'variable_declaration' ? declaration.args.data_value : undefined;
    const held = isNode(value) ? value.kind : null;
    if (arg.kinds.has(held ?? 'identifier')) return true;
    const message = held
      ? messages.wrongVariable(arg, parent, label, held)
      : messages.parameterForbidden(arg, parent, label);
    this.diagnostics.report('wrong_variable', here, message);
    return false;
  }

  #valueFits(arg: ArgRule, value: Argument, { rule, place }: Visit): boolean {
    if (typeof value === 'number') {
      if (arg.plain.has('float') && Number.isFinite(value)) return true;
      // Greater integers lose precision.
      if (arg.plain.has('integer') && Number.isSafeInteger(value)) return true;
    } else if (arg.plain.has(typeof value)) return true;
    if (arg.values.has(value)) return true;
    const here = new Place(place, arg.name);
    const isPlain = typeof value !== 'object';
    if (isPlain && arg.enumName)
      this.diagnostics.report('not_allowed', here, messages.notAmong(arg, rule, arg.enumName, value));
    else this.diagnostics.report('wrong_type', here, messages.wrongType(arg, rule, value));
    return false;
  }

  #text(arg: ArgRule, value: string, { rule, place }: Visit): void {
    const { allowedList, length } = arg.row;
    if (allowedList && !arg.allowedTexts?.has(value))
      this.diagnostics.report(
        'not_allowed',
        new Place(place, arg.name),
        messages.notAmong(arg, rule, allowedList, value),
      );
    if (length) {
      const count = codePoints(value);
      if (count < length[0] || count > length[1])
        this.diagnostics.report(
          'wrong_length',
          new Place(place, arg.name),
          messages.wrongLength(arg, rule, length, count),
        );
    }
    if (value.length <= alwaysShortEnough) return;
    const count = codePoints(JSON.stringify(value));
    if (count <= maxTextLength) return;
    const sentence = messages.textTooLong(arg.name, rule.kind, maxTextLength, count);
    this.diagnostics.report('text_too_long', new Place(place, arg.name), sentence, 'length');
  }

  #number(arg: ArgRule, value: number, { kind }: KindRule, parent: Place): void {
    const { max, record, pick } = arg.row;
    if (record === undefined && max === undefined) return;
    const place = new Place(parent, arg.name);
    if (max !== undefined && value > max)
      this.diagnostics.report('too_great', place, messages.tooLarge(arg, kind, max, value));
    if (pick && value === 0) this.diagnostics.report('unpicked', place, messages.notPicked(kind, pick));
    else if (typeof record === 'string')
      this.diagnostics.require({ place, kind, arg: arg.name, target: record, id: value, pointerType: null });
  }

  #comment(comment: string, { node, place }: Visit): void {
    if (this.#tree.root.kind !== 'sequence' || comment.length <= maxCommentLength) return;
    const count = codePoints(comment);
    if (count <= maxCommentLength) return;
    const sentence = messages.commentTooLong(node.kind, maxCommentLength, count);
    this.diagnostics.report('comment_too_long', place, sentence, 'length');
  }
}

/** Returns whether the tree was read completely; otherwise checking it would report false problems. */
export const isReadable = ({ problems }: Tree): boolean =>
  problems.length < maxProblems && !problems.some(({ code }) => code === 'too_deep' || code === 'too_large');

/**
 * Checks a program without the database, iteratively, so that no depth overflows the stack. References to records are among
 * the diagnostics: pass the records of `referencedIds` that exist to `firstProblem` or `collectProblems`.
 */
export function checkProgram(tree: Tree, mode: CheckMode = 'first'): CheckedProgram {
  const walk = new Walk(tree, mode);
  if (isReadable(tree)) walk.run();
  return walk.diagnostics.result;
}

/** Returns the records that a stored program uses, each once. */
export const programUses = (root: Node): readonly ProgramUse[] =>
  checkProgram({ root, problems: [], positions: new Map() }, 'all').uses;
