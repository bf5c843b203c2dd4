import { variableName } from '../data/variable-name.ts';
import { type Argument, bodyNodes, entryOf, isNode, numberArg, type ProgramNode, textArg } from './node.ts';
import {
  argWords,
  branchWords,
  kindWords,
  pairWords,
  switchWords,
  unitOf,
  valueWords,
  variableWords,
} from './words.ts';

/** Names of the records that programs use. */
export interface RecordNames {
  readonly program: (id: number) => string | undefined;
  readonly tool: (id: number) => string | undefined;
  readonly point: (id: number) => string | undefined;
  readonly group: (id: number) => string | undefined;
  readonly peripheral: (id: number) => string | undefined;
  readonly sensor: (id: number) => string | undefined;
}

const maxTextLength = 60;

const short = (text: string): string => {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length > maxTextLength ? `${line.slice(0, maxTextLength)}…` : line;
};

const missing = '?';
const placeholder = /_placeholder$/;

/** A node in a few words, without the name of its kind where its values say enough: `(100, 200, 0)`, `Water all`. */
export function summaryOf(node: ProgramNode, names: RecordNames): string {
  const { kind, args } = node;
  const argText = (arg: string): string => plain(args[arg] ?? '', arg, names);
  switch (kind) {
    case 'coordinate':
    case 'move_relative':
      return `(${numberArg(node, 'x')}, ${numberArg(node, 'y')}, ${numberArg(node, 'z')})`;
    case 'execute':
      return [
        names.program(numberArg(node, 'sequence_id')) ?? missing,
        ...bodyNodes(node).map((child) => summaryOf(child, names)),
      ].join(', ');
    case 'tool':
      return names.tool(numberArg(node, 'tool_id')) ?? missing;
    case 'point':
      return names.point(numberArg(node, 'pointer_id')) ?? missing;
    case 'point_group':
      return names.group(numberArg(node, 'point_group_id')) ?? missing;
    case 'named_pin': {
      const type = textArg(node, 'pin_type');
      const id = numberArg(node, 'pin_id');
      if (type === 'Peripheral') return names.peripheral(id) ?? missing;
      return type === 'Sensor' ? (names.sensor(id) ?? missing) : valueWords(type);
    }
    case 'resource':
      return resourceSummary(node, names);
    case 'identifier':
      return textArg(node, 'label') ? variableWords(textArg(node, 'label')) : missing;
    case 'parameter_application':
      return pairWords(variableName(textArg(node, 'label')), argText('data_value'));
    case 'pair':
      return pairWords(textArg(node, 'label'), argText('value'));
    case 'move':
      return partsOf(node)
        .map((part) => summaryOf(part, names))
        .join(', ');
    case 'axis_overwrite':
      return pairWords(axisWords(textArg(node, 'axis')), distance(args.axis_operand ?? '', names));
    case 'axis_addition':
      return `${argText('axis')} ${distance(args.axis_operand ?? '', names, true)}`;
    case 'speed_overwrite':
      return pairWords(`${kindWords(kind)} ${argText('axis')}`, `${argText('speed_setting')} %`);
    case 'write_pin':
      return pairWords(argText('pin_number'), pinValue(node, names));
    case 'read_pin':
      return [argText('pin_number'), argText('label')].filter(Boolean).join(' → ');
    case 'special_value':
      return valueWords(textArg(node, 'label'));
    case '_if':
      return ifSummary(node, names);
    case 'nothing':
    case 'safe_z':
      return kindWords(kind);
    default:
      if (placeholder.test(kind)) return kindWords(kind);
      return [
        ...Object.entries(args).map(([name, value]) => plain(value, name, names)),
        ...bodyNodes(node).map((child) => summaryOf(child, names)),
      ]
        .filter((part) => part !== '')
        .join(', ');
  }
}

/** The axes of a place, as they are written together. */
const wholePlace = 'x,y,z';

/** The parts of a movement; of several axes to the same place as one. */
function partsOf(node: ProgramNode): readonly ProgramNode[] {
  const parts: ProgramNode[] = [];
  for (const part of bodyNodes(node)) {
    const last = parts.at(-1);
    const target = JSON.stringify(part.args.axis_operand);
    const isJoined =
      part.kind === 'axis_overwrite' && last?.kind === part.kind && JSON.stringify(last.args.axis_operand) === target;
    if (isJoined) parts.splice(-1, 1, { ...last, args: { ...last.args, axis: `${last.args.axis},${part.args.axis}` } });
    else parts.push(part);
  }
  return parts;
}

const axisWords = (axes: string): string =>
  axes === wholePlace || axes === 'all' ? argWords('location') : axes.split(',').map(valueWords).join(', ');

/** A number as millimeters, with its sign if it is an offset; else the text that stands for one, of a long script only its kind. */
function distance(value: Argument, names: RecordNames, isOffset = false): string {
  if (isNode(value) && value.kind === 'lua' && textArg(value, 'lua').length > maxTextLength)
    return `${isOffset ? '+ ' : ''}${kindWords('lua')}`;
  const number = isNode(value) && value.kind === 'numeric' ? numberArg(value, 'number') : value;
  if (typeof number !== 'number') return `${isOffset ? '+ ' : ''}${plain(value, 'axis_operand', names)}`;
  return isOffset ? `${number < 0 ? '−' : '+'} ${Math.abs(number)} mm` : `${number} mm`;
}

function pinValue({ args }: ProgramNode, names: RecordNames): string {
  const { pin_mode: mode, pin_value: value } = args;
  return mode === 0 && typeof value === 'number' ? switchWords(value !== 0) : plain(value ?? '', 'pin_value', names);
}

function ifSummary({ args }: ProgramNode, names: RecordNames): string {
  const [lhs, op, rhs] = ['lhs', 'op', 'rhs'].map((name) => plain(args[name] ?? '', name, names));
  const test = args.op === 'is_undefined' ? `${lhs} ${op}` : `${lhs} ${op} ${rhs}`;
  const [then, otherwise] = [args._then, args._else].map((branch) =>
    isNode(branch) && branch.kind !== 'nothing' ? summaryOf(branch, names) : null,
  );
  return branchWords(test, then ?? null, otherwise ?? null);
}

function resourceSummary(node: ProgramNode, names: RecordNames): string {
  const type = textArg(node, 'resource_type');
  const id = numberArg(node, 'resource_id');
  if (type === 'Device') return valueWords(type);
  const named = { Sequence: names.program, Peripheral: names.peripheral, Sensor: names.sensor };
  return (entryOf(named, type) ?? names.point)(id) ?? missing;
}

/** Texts of these arguments are written by people, and no names of the language. */
const written: ReadonlySet<string> = new Set(['message', 'lua', 'label', 'string', 'url', 'value']);

function plain(value: Argument, arg: string, names: RecordNames): string {
  if (isNode(value)) return summaryOf(value, names);
  const unit = unitOf(arg);
  if (typeof value === 'number' && arg !== 'pin_mode') return unit === undefined ? String(value) : `${value} ${unit}`;
  if (typeof value === 'string' && written.has(arg)) return short(value);
  return typeof value === 'boolean' ? String(value) : valueWords(value);
}
