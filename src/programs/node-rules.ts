import type { RuleName } from './corpus.ts';
import { enums } from './corpus-args.ts';
import type { DiagnosticCollector } from './diagnostic-collector.ts';
import type { KindRule } from './grammar.ts';
import { Place } from './problem.ts';
import * as messages from './problem-messages.ts';
import type { Argument, Node } from './tree.ts';
import { isNode } from './tree.ts';

/** A node during the walk, with its rule, its place and its parent's rule. */
export interface Visit {
  readonly node: Node;
  readonly rule: KindRule;
  readonly place: Place;
  readonly parent: KindRule | null;
}

const isWhole = (value: Argument | undefined): value is number => typeof value === 'number' && Number.isInteger(value);

/** The rules that the table of nodes refers to by name. [rule P9, P12, P13] */
const rules: Readonly<Record<RuleName, (visit: Visit, diagnostics: DiagnosticCollector) => void>> = {
  'never stored': ({ rule, place }, diagnostics) =>
    diagnostics.report('never_stored', place, messages.neverStored(rule)),

  'only as default': ({ rule, place, parent }, diagnostics) => {
    if (parent?.kind !== 'parameter_declaration') diagnostics.report('placeholder', place, messages.placeholder(rule));
  },

  'no analog light': ({ node, rule, place }, diagnostics) => {
    const { pin_mode: mode, pin_number: pin } = node.args;
    const light = isNode(pin) && pin.kind === 'named_pin' ? pin.args.pin_type : undefined;
    if (mode === 1 && typeof light === 'string' && light.includes('BoxLed'))
      diagnostics.report('analog_light', place, messages.analogLight(rule, light));
  },

  'a tool is mounted': ({ node, rule, place, parent }, diagnostics) => {
    const { label, value: id } = node.args;
    if (label !== 'mounted_tool_id' || !isWhole(id) || id <= 0) return;
    // In another parent such a pair protects the tool but need not name an existing one. [rule P35]
    if (parent?.kind !== 'update_resource') diagnostics.use('mounted_tool', id);
    else {
      const here = new Place(place, 'value');
      const tool = { place: here, kind: rule.kind, arg: 'value', target: 'tools', id, pointerType: null } as const;
      diagnostics.require(tool, 'mounted_tool');
    }
  },
};

/** Checks ids whose table depends on another argument. [rule P10] */
function requireByType({ node, rule, place }: Visit, diagnostics: DiagnosticCollector): void {
  for (const { name, row } of rule.typedIdArgs) {
    const { record, pick } = row;
    const id = node.args[name];
    if (typeof record !== 'object' || !isWhole(id) || (pick && id === 0)) continue;
    const type = node.args[record.arg];
    const target = typeof type === 'string' && Object.hasOwn(record.targets, type) ? record.targets[type] : undefined;
    if (typeof type !== 'string' || !target) continue;
    const pointerType = enums.PointType.find((one) => one === type) ?? null;
    const here = new Place(place, name);
    diagnostics.require(
      { place: here, kind: rule.kind, arg: name, target, id, pointerType },
      record.uses[type] ?? null,
    );
  }
}

/** Checks the rules that involve more than one argument of a node. */
export function checkNodeRules(visit: Visit, diagnostics: DiagnosticCollector): void {
  const { rule } = visit;
  if (rule.typedIdArgs.length > 0) requireByType(visit, diagnostics);
  if (rule.row.rule) rules[rule.row.rule](visit, diagnostics);
}
