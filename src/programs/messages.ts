import type { EnumName } from './corpus-args.ts';
import type { ArgRule, KindRule } from './grammar.ts';
import { isKind, valuesOf } from './grammar.ts';
import { kindName, printableText } from './problem.ts';
import type { TargetTable } from './targets.ts';
import { targets } from './targets.ts';
import type { Argument, Node } from './tree.ts';
import { isNode } from './tree.ts';

// The checker's messages. Each names the node, the argument, the value and what is allowed.

/** Joins items as `a, b or c`. */
function choice(items: readonly (string | number)[], last = 'or'): string {
  const before = items.slice(0, -1).join(', ');
  return before === '' ? String(items.at(-1) ?? 'nothing') : `${before} ${last} ${items.at(-1)}`;
}

/** Returns a list of allowed values with the pins abbreviated. */
export const shortValues = (name: EnumName): readonly (string | number)[] =>
  valuesOf(name)
    .filter((value) => !/^pin[1-9]/.test(String(value)))
    .map((value) => (value === 'pin0' ? 'pin0 to pin69' : value));

function allowed(name: EnumName): string {
  const values = shortValues(name);
  const hasCommas = values.some((value) => String(value).includes(','));
  return choice(hasCommas ? values.map((value) => `"${value}"`) : values);
}

const quoted = (text: string): string => `"${printableText(text)}"`;

/** Describes the value that was sent. */
function given(value: Argument | undefined): string {
  if (typeof value === 'string') return `the string ${quoted(value)}`;
  if (typeof value === 'number') return `the number ${value}`;
  if (value === null || value === undefined || typeof value === 'boolean') return String(value);
  return isNode(value) ? printableText(value.kind) : value.given;
}

export const valueTypeNames: Readonly<Record<string, string>> = {
  boolean: 'true or false',
  float: 'a number',
  integer: 'a whole number',
  string: 'a string',
};

/** Describes the values that an argument accepts: `a whole number or named_pin`. */
function acceptedValues(rule: ArgRule): string {
  const words = rule.takes.filter((word) => word !== 'integer' || !rule.plain.has('float'));
  return choice(words.map((word) => valueTypeNames[word] ?? (word === rule.enumName ? allowed(word) : word)));
}

const whose = (arg: string, kind: string): string => `"${arg}" of ${kind}`;

export const unknownKindMessage = (kind: string, parent: KindRule): string =>
  `Unknown kind ${quoted(kind)}. ${contents(parent)}`;

export const misplaced = (kind: string, parent: KindRule): string =>
  `${kind} is not allowed in the body of ${kindName(parent.kind)}. ${contents(parent)}`;

const contents = ({ kind, body }: KindRule): string =>
  body.size === 0
    ? `The body of ${kind} must be empty.`
    : `The body of ${kindName(kind)} can contain ${choice([...body])}.`;

export function missingArgument(rule: KindRule, arg: string, node: Node): string {
  const names = Object.keys(node.args).map(printableText).slice(0, 10);
  const sent = names.length === 0 ? 'none' : choice(names, 'and');
  return `${rule.kind} is missing the argument "${arg}": it requires ${choice([...rule.args.keys()], 'and')}, but has ${sent}.`;
}

export function unknownArgument(rule: KindRule, arg: string): string {
  const known = rule.args.size === 0 ? 'takes no arguments' : `only takes ${choice([...rule.args.keys()], 'and')}`;
  return `${rule.kind} has no argument ${quoted(arg)}: it ${known}.`;
}

export function wrongType(rule: ArgRule, parent: KindRule, value: Argument): string {
  if (typeof value === 'number' && rule.plain.has('integer') && Number.isInteger(value) && !Number.isSafeInteger(value))
    return `${whose(rule.name, parent.kind)} is too large: ${value}.`;
  const unknown = isNode(value) && !isKind(value.kind) ? ', which is unknown' : '';
  return `${whose(rule.name, parent.kind)} must be ${acceptedValues(rule)}, not ${given(value)}${unknown}.`;
}

export const notAmong = (rule: ArgRule, parent: KindRule, among: EnumName, value: Argument): string =>
  `${whose(rule.name, parent.kind)} must be ${allowed(among)}, not ${given(value)}.`;

export const notPicked = (kind: string, pick: string): string => `Please pick ${pick} for ${kind}.`;

export const wrongVariable = (rule: ArgRule, parent: KindRule, label: string, held: string): string =>
  `${whose(rule.name, parent.kind)} must be ${acceptedValues(rule)}, but the variable ${quoted(label)} holds ${printableText(held)}.`;

export const parameterForbidden = (rule: ArgRule, parent: KindRule, label: string): string =>
  `${whose(rule.name, parent.kind)} must be ${acceptedValues(rule)}, not the variable ${quoted(label)}, which is set when the sequence is run.`;

export const unbound = (rule: ArgRule, parent: KindRule, label: string, hasScope: boolean): string =>
  `${whose(rule.name, parent.kind)} is the variable ${quoted(label)}, ${
    hasScope ? 'which the sequence does not declare' : 'but there are no variables here'
  }.`;

export const wrongLength = (rule: ArgRule, parent: KindRule, [min, max]: readonly [number, number], count: number) =>
  `${whose(rule.name, parent.kind)} must have ${min} to ${max} characters, not ${count}.`;

export const tooLarge = (rule: ArgRule, kind: string, max: number, value: number): string =>
  `${whose(rule.name, kind)} must be at most ${max}, not ${value}.`;

export const analogLight = (rule: KindRule, light: string): string =>
  `${rule.kind} cannot use ${printableText(light)} with "pin_mode" 1: box lights are digital, so it must be 0.`;

export const placeholder = (rule: KindRule): string =>
  `${rule.kind} is only allowed as the default of a parameter_declaration: choose a value for every variable.`;

export const neverStored = (rule: KindRule): string =>
  `${rule.kind} cannot be part of a program. Please delete this step.`;

export const textTooLong = (arg: string, kind: string, max: number, count: number): string =>
  `${whose(arg, kind)} is too long: as JSON it must have at most ${max} characters, not ${count}.`;

export const commentTooLong = (kind: string, max: number, count: number): string =>
  `The comment of ${kind} must have at most ${max} characters, not ${count}.`;

export const luaSyntax = (problem: string): string => `This is not Lua: ${printableText(problem)}.`;

export const unknownVariable = (name: string): string =>
  `Lua uses the variable ${quoted(name)}, which the sequence does not declare.`;

export const unsetVariable = (program: string, label: string): string =>
  `${quoted(program)} needs a value for its variable ${quoted(label)}.`;

export const missingRecord = (
  arg: string,
  kind: string,
  target: TargetTable,
  id: number,
  pointerType: string | null,
): string =>
  `${whose(arg, kind)} is ${id}, but this account has no ${pointerType ?? targets[target].noun} with that id.`;
