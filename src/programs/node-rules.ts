import type { RuleName } from './corpus.ts';
import { enums } from './corpus-args.ts';
import type { Findings } from './findings.ts';
import type { KindRule } from './grammar.ts';
import { Place } from './problem.ts';
import * as say from './sentences.ts';
import type { Argument, Node } from './tree.ts';
import { isNode } from './tree.ts';

/** A node that is looked at: what it is, where it stands, and as part of what. */
export interface Visit {
  readonly node: Node;
  readonly rule: KindRule;
  readonly place: Place;
  readonly parent: KindRule | null;
}

const isWhole = (value: Argument | undefined): value is number => typeof value === 'number' && Number.isInteger(value);

/** The rules that the table of nodes has by name. [reference 2.5, 2.6] */
const rules: Readonly<Record<RuleName, (visit: Visit, findings: Findings) => void>> = {
  'never stored': ({ rule, place }, findings) => findings.report('never_stored', place, say.neverStored(rule)),

  'only as default': ({ rule, place, parent }, findings) => {
    if (parent?.kind !== 'parameter_declaration') findings.report('placeholder', place, say.placeholder(rule));
  },

  'no analog light': ({ node, rule, place }, findings) => {
    const { pin_mode: mode, pin_number: pin } = node.args;
    const light = isNode(pin) && pin.kind === 'named_pin' ? pin.args.pin_type : undefined;
    if (mode === 1 && typeof light === 'string' && light.includes('BoxLed'))
      findings.report('analog_light', place, say.analogLight(rule, light));
  },

  'a tool is mounted': ({ node, rule, place, parent }, findings) => {
    const { label, value: id } = node.args;
    if (label !== 'mounted_tool_id' || !isWhole(id) || id <= 0) return;
    // Elsewhere the pair only looks like it: it keeps the tool, but may name anything.
    if (parent?.kind !== 'update_resource') findings.use('mounted_tool', id);
    else {
      const here = new Place(place, 'value');
      const tool = { place: here, kind: rule.kind, arg: 'value', target: 'tools', id, pointerType: null } as const;
      findings.refer(tool, 'mounted_tool');
    }
  },
};

/** Ids whose table another argument tells. */
function referByType({ node, rule, place }: Visit, findings: Findings): void {
  for (const { name, row } of rule.typedIds) {
    const { own, pick } = row;
    const id = node.args[name];
    if (typeof own !== 'object' || !isWhole(id) || (pick && id === 0)) continue;
    const type = node.args[own.arg];
    const target = typeof type === 'string' && Object.hasOwn(own.targets, type) ? own.targets[type] : undefined;
    if (typeof type !== 'string' || !target) continue;
    const pointerType = enums.PointType.find((one) => one === type) ?? null;
    const here = new Place(place, name);
    findings.refer({ place: here, kind: rule.kind, arg: name, target, id, pointerType }, own.uses[type] ?? null);
  }
}

/** What can be judged of a node only when all its arguments are known. */
export function judge(visit: Visit, findings: Findings): void {
  const { rule } = visit;
  if (rule.typedIds.length > 0) referByType(visit, findings);
  if (rule.row.rule) rules[rule.row.rule](visit, findings);
}
