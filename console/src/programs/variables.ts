import { spliced } from '../ui/spliced.ts';
import { type Argument, createNode, isNode, type ProgramNode, textArg } from './node.ts';

/** A variable that can be set when its program is run. */
export interface Parameter {
  readonly label: string;
  readonly defaultValue: ProgramNode;
}

/** The declarations of a program's `args`. */
export const declarationsOf = (args: { readonly locals?: unknown }): readonly ProgramNode[] =>
  isNode(args.locals) ? (args.locals.body ?? []) : [];

/** The parameters among declarations; of several with the same name the first counts. */
export function declaredParameters(declarations: readonly ProgramNode[]): readonly Parameter[] {
  const found = new Map<string, Parameter>();
  for (const node of declarations) {
    const label = textArg(node, 'label');
    const { default_value: value } = node.args;
    if (node.kind === 'parameter_declaration' && isNode(value) && !found.has(label))
      found.set(label, { label, defaultValue: value });
  }
  return [...found.values()];
}

/** Whether a default is a placeholder for a kind of value. */
export const isPlaceholder = ({ kind }: ProgramNode): boolean => kind.endsWith('_placeholder');

/** The kinds of values that fit where a default of this kind stands; null: all of them. */
export function fittingKinds({ kind }: ProgramNode): readonly string[] | null {
  if (['number_placeholder', 'numeric'].includes(kind)) return ['numeric', 'identifier'];
  if (['text_placeholder', 'text'].includes(kind)) return ['text', 'identifier'];
  if (['location_placeholder', 'coordinate', 'point', 'tool'].includes(kind))
    return ['coordinate', 'point', 'tool', 'point_group', 'identifier'];
  if (['resource_placeholder', 'resource'].includes(kind)) return ['resource', 'identifier'];
  return null;
}

/**
 * The names of the variables that fit where one of these kinds is accepted: variables that are set at a run where
 * `identifier` is, fixed ones where their value is.
 */
export function fittingVariables(declarations: readonly ProgramNode[], kinds: readonly string[]): readonly string[] {
  const labels = new Set<string>();
  const fitting = declarations.filter((node) => {
    const label = textArg(node, 'label');
    // Of several with the same name the first counts.
    const isFirst = !labels.has(label);
    labels.add(label);
    const { data_value: value } = node.args;
    const held = node.kind === 'variable_declaration' && isNode(value) ? value.kind : 'identifier';
    return isFirst && kinds.includes(held);
  });
  return fitting.map((node) => textArg(node, 'label'));
}

/** The value that the body of an `execute` gives a parameter; undefined: its default. */
export function appliedValue(body: readonly ProgramNode[], label: string): Argument | undefined {
  return body.find((node) => node.kind === 'parameter_application' && textArg(node, 'label') === label)?.args
    .data_value;
}

/** Sets the value of a parameter in the body of an `execute`; undefined: its default. */
export function withApplied(
  body: readonly ProgramNode[],
  label: string,
  value: Argument | undefined,
): readonly ProgramNode[] {
  const isOf = (node: ProgramNode): boolean => textArg(node, 'label') === label;
  const others = body.filter((node) => !isOf(node));
  if (value === undefined) return others;
  const index = body.findIndex(isOf);
  return spliced(
    others,
    index < 0 ? others.length : index,
    0,
    createNode('parameter_application', { label, data_value: value }),
  );
}

/** A name for a further variable: the first of `place`, `place 2`, … that is free. */
export function freeLabel(declarations: readonly ProgramNode[], wanted: string): string {
  const taken = new Set(declarations.map((node) => textArg(node, 'label')));
  for (let number = 1; ; number++) {
    const label = number === 1 ? wanted : `${wanted} ${number}`;
    if (!taken.has(label)) return label;
  }
}

/** Gives the uses of a variable another name. */
export function renamedUses(node: ProgramNode, from: string, to: string): ProgramNode {
  const args = Object.fromEntries(
    Object.entries(node.args).map(([name, value]) => [
      name,
      isNode(value)
        ? renamedUses(value, from, to)
        : node.kind === 'identifier' && name === 'label' && value === from
          ? to
          : value,
    ]),
  );
  return {
    ...node,
    args,
    ...(node.body ? { body: node.body.map((child) => renamedUses(child, from, to)) } : {}),
  };
}
