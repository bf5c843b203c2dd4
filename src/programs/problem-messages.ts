import type { Message } from '../core/message.ts';
import { sentences } from '../core/message.ts';
import { say, sayOfList, sayOfValue } from './check-messages.ts';
import type { EnumName, Pickable } from './corpus-args.ts';
import type { ArgRule, KindRule } from './grammar.ts';
import { isKind, valuesOf } from './grammar.ts';
import { argName, kindName, valueName } from './node-names.ts';
import { printableText } from './printable-text.ts';
import type { TargetTable } from './targets.ts';
import { targets } from './targets.ts';
import type { Argument, Node } from './tree.ts';
import { isNode } from './tree.ts';

// The checker's messages. Each names the node, the argument, the value and the allowed ones.

const pins = String(sayOfValue.pins);

/** Returns a list of allowed values with the pins abbreviated. */
export const shortValues = (name: EnumName): readonly (string | number)[] =>
  valuesOf(name)
    .filter((value) => !/^pin[1-9]/.test(String(value)))
    .map((value) => (value === 'pin0' ? pins : value));

function allowed(name: EnumName): Message {
  const values = shortValues(name).map(String);
  const hasCommas = values.some((value) => value.includes(','));
  return sayOfList.either(
    values.map((value) => (hasCommas ? `"${value}"` : value === pins ? sayOfValue.pins : valueName(value))),
  );
}

/** Describes the value that was sent. */
function given(value: Argument | undefined): string | Message {
  if (typeof value === 'string') return sayOfValue.givenString(printableText(value));
  if (typeof value === 'number') return sayOfValue.givenNumber(value);
  if (typeof value === 'boolean') return value ? sayOfValue.true : sayOfValue.false;
  if (value === null || value === undefined) return value === null ? sayOfValue.null : sayOfValue.undefined;
  return isNode(value) ? valueName(printableText(value.kind)) : value.given;
}

export const valueTypeNames: ReadonlyMap<string, Message> = new Map([
  ['boolean', sayOfValue.boolean],
  ['float', sayOfValue.number],
  ['integer', sayOfValue.wholeNumber],
  ['string', sayOfValue.string],
]);

/** Describes the values that an argument accepts: `a whole number or named_pin`. */
function acceptedValues(rule: ArgRule): Message {
  const words = rule.takes.filter((word) => word !== 'integer' || !rule.plain.has('float'));
  return sayOfList.either(
    words.map((word) => valueTypeNames.get(word) ?? (word === rule.enumName ? allowed(word) : valueName(word))),
  );
}

/** The names of an argument and its node. */
const whose = (arg: string, kind: string) => [argName(arg), kindName(kind)] as const;

/** The kinds that a body can contain. */
const kindsIn = ({ body }: KindRule): Message => sayOfList.either([...body].map(valueName));

const contents = (parent: KindRule): Message =>
  parent.body.size === 0 ? say.emptyBody(kindName(parent.kind)) : say.contents(kindName(parent.kind), kindsIn(parent));

export const unknownKindMessage = (kind: string, parent: KindRule): Message =>
  parent.body.size === 0
    ? sentences([say.unknownKind(printableText(kind)), contents(parent)])
    : say.unknownStep(printableText(kind), kindName(parent.kind), kindsIn(parent));

export const misplaced = (kind: string, parent: KindRule): Message =>
  sentences([say.misplaced(kindName(kind), kindName(parent.kind)), contents(parent)]);

export function missingArgument({ kind, args }: KindRule, arg: string, node: Node): Message {
  const names = Object.keys(node.args).map(printableText).slice(0, 10);
  const sent = names.length === 0 ? sayOfValue.none : sayOfList.all(names);
  return say.missingArgument(kindName(kind), argName(arg), sayOfList.all([...args.keys()]), sent);
}

export const unknownArgument = ({ kind, args }: KindRule, arg: string): Message =>
  args.size === 0
    ? say.noArguments(kindName(kind), printableText(arg))
    : say.otherArguments(kindName(kind), printableText(arg), sayOfList.all([...args.keys()].map(argName)));

export function wrongType(rule: ArgRule, { kind }: KindRule, value: Argument): Message {
  if (typeof value === 'number' && rule.plain.has('integer') && Number.isInteger(value) && !Number.isSafeInteger(value))
    return say.tooGreat(...whose(rule.name, kind), value);
  const sentence = isNode(value) && !isKind(value.kind) ? say.unknownValue : say.wrongValue;
  return sentence(...whose(rule.name, kind), acceptedValues(rule), given(value));
}

export const notAmong = ({ name }: ArgRule, { kind }: KindRule, among: EnumName, value: Argument): Message =>
  say.wrongValue(...whose(name, kind), allowed(among), given(value));

export const notPicked = (kind: string, pick: Pickable): Message =>
  pick === 'program' ? say.pickProgram(kindName(kind)) : say.pick(sayOfValue[pick], kindName(kind));

export const wrongVariable = (rule: ArgRule, { kind }: KindRule, label: string, held: string): Message =>
  say.wrongVariable(
    ...whose(rule.name, kind),
    acceptedValues(rule),
    printableText(label),
    valueName(printableText(held)),
  );

export const parameterForbidden = (rule: ArgRule, { kind }: KindRule, label: string): Message =>
  say.noParameter(...whose(rule.name, kind), acceptedValues(rule), printableText(label));

export function unbound({ name }: ArgRule, { kind }: KindRule, label: string, hasScope: boolean): Message {
  const variable = printableText(label);
  if (!hasScope) return say.noVariables(...whose(name, kind), variable);
  return variable === ''
    ? say.unchosenVariable(...whose(name, kind))
    : say.undeclaredVariable(...whose(name, kind), variable);
}

export const wrongLength = (
  { name }: ArgRule,
  { kind }: KindRule,
  [min, max]: readonly [number, number],
  count: number,
): Message => say.wrongLength(...whose(name, kind), min, max, count);

export const tooLarge = ({ name }: ArgRule, kind: string, max: number, value: number): Message =>
  say.aboveMax(...whose(name, kind), max, value);

export const analogLight = ({ kind }: KindRule, light: string): Message =>
  say.analogLight(kindName(kind), printableText(light));

export const placeholder = ({ kind }: KindRule): Message => say.placeholder(kindName(kind));

export const neverStored = ({ kind }: KindRule): Message => say.neverStored(kindName(kind));

export const textTooLong = (arg: string, kind: string, max: number, count: number): Message =>
  say.longText(...whose(arg, kind), max, count);

export const commentTooLong = (kind: string, max: number, count: number): Message =>
  say.longComment(kindName(kind), max, count);

export const luaSyntax = (problem: string): Message => say.luaSyntax(printableText(problem));

export const unknownFunction = (line: number, name: string): Message => say.unknownFunction(line, printableText(name));

export const wrongArguments = (line: number, signature: string): Message => say.wrongArguments(line, signature);

export const ignoredArguments = (line: number, signature: string): Message => say.ignoredArguments(line, signature);

export const luaStatement: Message = say.luaStatement;

export const misreadFormula: Message = say.misreadFormula;

export const unreadPin: Message = say.unreadPin;

export const unknownVariable = (name: string): Message => say.unknownVariable(printableText(name));

export const unsetVariable = (program: string, label: string): Message =>
  say.unsetVariable(printableText(program), printableText(label));

export function missingRecord(
  arg: string,
  kind: string,
  target: TargetTable,
  id: number,
  pointerType: string | null,
): Message {
  const noun = pointerType ?? targets[target].noun;
  return id === 0 ? say.noRecord(...whose(arg, kind), noun) : say.missingRecord(...whose(arg, kind), id, noun);
}
