import type { CheckMode } from './findings.ts';
import { Findings } from './findings.ts';
import type { ArgRule, KindRule } from './grammar.ts';
import { grammar } from './grammar.ts';
import type { Visit } from './node-rules.ts';
import { judge } from './node-rules.ts';
import { maxProblems, Place, rootPlace } from './problem.ts';
import type { CheckResult, ProgramUse } from './references.ts';
import * as say from './sentences.ts';
import type { Argument, Node, Tree } from './tree.ts';
import { isNode } from './tree.ts';

/** Longest text of an argument, in characters of its JSON with quotes and escapes. [reference 2.7] */
export const longestText = 3000;

/** Longest comment in a sequence, in characters. [reference 2.7] */
export const longestComment = 240;

/** A text of this many units is at most {@link longestText} as JSON, whatever it holds. */
const surelyShort = Math.floor((longestText - 2) / 6);

/** Characters as people count them: code points. */
function codePoints(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length; i++) if ((text.charCodeAt(i) & 0xfc00) === 0xd800) count--;
  return count;
}

/** One walk over one program. */
class Walk {
  readonly findings: Findings;
  readonly #tree: Tree;
  readonly #variables = new Map<string, Node>();
  readonly #waiting: Visit[] = [];

  constructor(tree: Tree, mode: CheckMode) {
    this.#tree = tree;
    this.findings = new Findings(tree.problems, mode);
    const { locals } = tree.root.args;
    for (const declaration of isNode(locals) ? (locals.body ?? []) : []) {
      const { label } = declaration.args;
      // The first of equal labels wins. [reference 2.5]
      if (typeof label === 'string' && !this.#variables.has(label)) this.#variables.set(label, declaration);
    }
  }

  run(): void {
    const { root } = this.#tree;
    const rule = grammar.get(root.kind);
    if (rule) this.#waiting.push({ node: root, rule, place: rootPlace(root.kind), parent: null });
    while (!this.findings.isFull) {
      const visit = this.#waiting.pop();
      if (!visit) return;
      this.#look(visit);
    }
  }

  /** In this order, so that of several problems the same is the first one everywhere. [reference 2.3] */
  #look(visit: Visit): void {
    const { node, rule, place } = visit;
    const children = node.body ? this.#bodyOf(node.body, visit) : [];
    const names = Object.keys(node.args);
    let known = 0;
    for (const name of names) if (rule.args.has(name)) known++;
    if (known < rule.args.size) this.#missing(visit);
    if (known < names.length) this.#unknown(names, visit);
    const nested: Visit[] = [];
    for (const name of names) {
      const arg = rule.args.get(name);
      const value = node.args[name];
      if (!arg || value === undefined) continue;
      if (isNode(value)) {
        const child = this.#nested(arg, value, visit);
        if (child) nested.push(child);
      } else if (this.#valueFits(arg, value, visit)) {
        if (typeof value === 'string') this.#text(arg, value, visit);
        else if (typeof value === 'number') this.#number(arg, value, rule, place);
      }
    }
    judge(visit, this.findings);
    if (node.comment !== undefined) this.#comment(node.comment, visit);
    // The last one in is looked at first.
    for (let i = children.length - 1; i >= 0; i--) this.#wait(children[i]);
    for (let i = nested.length - 1; i >= 0; i--) this.#wait(nested[i]);
  }

  #wait(visit: Visit | undefined): void {
    if (visit) this.#waiting.push(visit);
  }

  /** The children that may stand there. */
  #bodyOf(body: readonly Node[], { node, rule, place }: Visit): Visit[] {
    const visits: Visit[] = [];
    const positions = this.#tree.positions.get(node);
    for (let i = 0; i < body.length && !this.findings.isFull; i++) {
      const child = body[i];
      if (!child) continue;
      const here = new Place(place, positions?.[i] ?? i);
      const childRule = grammar.get(child.kind);
      if (childRule && rule.body.has(child.kind))
        visits.push({ node: child, rule: childRule, place: here, parent: rule });
      else if (childRule) this.findings.report('misplaced', here, say.misplaced(child.kind, rule));
      else this.findings.report('unknown_kind', here, say.unknownKind(child.kind, rule));
    }
    return visits;
  }

  #missing({ node, rule, place }: Visit): void {
    for (const name of rule.args.keys())
      if (!Object.hasOwn(node.args, name))
        this.findings.report('missing_argument', place, say.missingArgument(rule, name, node));
  }

  #unknown(names: readonly string[], { rule, place }: Visit): void {
    for (const name of names)
      if (!rule.args.has(name))
        this.findings.report('unknown_argument', new Place(place, name), say.unknownArgument(rule, name));
  }

  /** The node that an argument holds, if it may. */
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
    if (value.kind === 'nothing' && pick) this.findings.report('unpicked', here, say.unpicked(parent.kind, pick));
    else this.findings.report('wrong_type', here, say.wrongType(arg, parent, value));
    return false;
  }

  /** A parameter may stand where variables may; a variable with a fixed value, wherever its value may. [reference 2.5] */
  #variableFits(arg: ArgRule, label: string, parent: KindRule, here: Place): boolean {
    const declaration = this.#variables.get(label);
    if (!declaration) {
      const hasScope = this.#tree.root.kind === 'sequence';
      this.findings.report('unbound', here, say.unbound(arg, parent, label, hasScope));
      return false;
    }
    const value = declaration.kind === 'variable_declaration' ? declaration.args.data_value : undefined;
    const kind = isNode(value) ? value.kind : 'identifier';
    if (arg.kinds.has(kind)) return true;
    this.findings.report('wrong_variable', here, say.wrongVariable(arg, parent, label, kind));
    return false;
  }

  #valueFits(arg: ArgRule, value: Argument, { rule, place }: Visit): boolean {
    if (typeof value === 'number') {
      if (arg.plain.has('float') && Number.isFinite(value)) return true;
      // Greater ones would not come back as they were sent.
      if (arg.plain.has('integer') && Number.isSafeInteger(value)) return true;
    } else if (arg.plain.has(typeof value)) return true;
    if (arg.values.has(value)) return true;
    const here = new Place(place, arg.name);
    const isPlain = typeof value !== 'object';
    if (isPlain && arg.enumName)
      this.findings.report('not_allowed', here, say.notAmong(arg, rule, arg.enumName, value));
    else this.findings.report('wrong_type', here, say.wrongType(arg, rule, value));
    return false;
  }

  #text(arg: ArgRule, value: string, { rule, place }: Visit): void {
    const { among, length } = arg.row;
    if (among && !arg.among?.has(value))
      this.findings.report('not_allowed', new Place(place, arg.name), say.notAmong(arg, rule, among, value));
    if (length) {
      const count = codePoints(value);
      if (count < length[0] || count > length[1])
        this.findings.report('wrong_length', new Place(place, arg.name), say.wrongLength(arg, rule, length, count));
    }
    if (value.length <= surelyShort) return;
    const count = codePoints(JSON.stringify(value));
    if (count <= longestText) return;
    const sentence = say.textTooLong(arg.name, rule.kind, longestText, count);
    this.findings.report('text_too_long', new Place(place, arg.name), sentence, 'length');
  }

  #number(arg: ArgRule, value: number, { kind }: KindRule, parent: Place): void {
    const { most, own, pick } = arg.row;
    if (own === undefined && most === undefined) return;
    const place = new Place(parent, arg.name);
    if (most !== undefined && value > most)
      this.findings.report('too_great', place, say.tooGreat(arg, kind, most, value));
    if (pick && value === 0) this.findings.report('unpicked', place, say.unpicked(kind, pick));
    else if (typeof own === 'string')
      this.findings.refer({ place, kind, arg: arg.name, target: own, id: value, pointerType: null });
  }

  #comment(comment: string, { node, place }: Visit): void {
    if (this.#tree.root.kind !== 'sequence' || comment.length <= longestComment) return;
    const count = codePoints(comment);
    if (count <= longestComment) return;
    const sentence = say.commentTooLong(node.kind, longestComment, count);
    this.findings.report('comment_too_long', place, sentence, 'length');
  }
}

/** Nothing can be said about what was not read to its end. */
const isReadable = ({ problems }: Tree): boolean =>
  problems.length < maxProblems && !problems.some(({ code }) => code === 'too_deep' || code === 'too_large');

/**
 * Checks a program as far as it can be checked without the database, in one walk that no depth can overflow. References to
 * records are among the findings: ask for `referencedIds`, and hand what is there to `firstProblem` or `problemsOf`.
 */
export function checkProgram(tree: Tree, mode: CheckMode = 'first'): CheckResult {
  const walk = new Walk(tree, mode);
  if (isReadable(tree)) walk.run();
  return walk.findings.result;
}

/** What a stored program uses, each record once. */
export const programUses = (root: Node): readonly ProgramUse[] =>
  checkProgram({ root, problems: [], positions: new Map() }, 'all').uses;
