import type { RecordOf } from './collections.ts';
import type { components } from './generated/api.ts';

type Schemas = components['schemas'];
/** A variable that gets its value when its program is run. */
export type Parameter = Schemas['ParameterDeclaration'];
/** A value of a variable: numbers and texts stand for themselves. */
export type ParameterValue = Schemas['Node'] | number | string;
/** A node that gives a variable a value. */
type Application = Schemas['ParameterApplication'];
/** Values by the names of their variables. */
export type ParameterValues = Readonly<Record<string, ParameterValue | null>>;

/** The variable that is a place, in programs of the vendor's app and of this console: the app suggests plants for this name. */
export const placeName = 'parent';

/** Returns the variables of a program or regimen that get their values when it is run. */
export function parametersOf(
  program: Pick<RecordOf<'sequences'>, 'args'> | Pick<RecordOf<'regimens'>, 'body'> | undefined,
): readonly Parameter[] {
  const declared = !program ? [] : 'args' in program ? (program.args.locals.body ?? []) : program.body;
  const found = new Map<string, Parameter>();
  for (const node of declared)
    if (node.kind === 'parameter_declaration' && !found.has(node.args.label)) found.set(node.args.label, node);
  return [...found.values()];
}

/** Returns the parameters without a value. */
export const missingOf = (parameters: readonly Parameter[], values: ParameterValues): readonly Parameter[] =>
  parameters.filter((parameter) => isRequired(parameter) && values[parameter.args.label] == null);

/** Whether the program has no value of its own. */
export const isRequired = ({ args }: Parameter): boolean => args.default_value.kind.endsWith('placeholder');

/** Returns the values that nodes give. */
export const givenValues = (
  body: readonly { readonly kind: string; readonly args: object }[],
): Record<string, ParameterValue> =>
  Object.fromEntries(
    body
      .filter((node): node is Application => node.kind === 'parameter_application')
      .map(({ args: { label, data_value: value } }) => {
        if (value.kind === 'numeric') return [label, value.args.number];
        return [label, value.kind === 'text' ? value.args.string : value];
      }),
  );

const nodeOf = (value: ParameterValue): Schemas['Node'] => {
  if (typeof value === 'number') return { kind: 'numeric', args: { number: value } };
  return typeof value === 'string' ? { kind: 'text', args: { string: value } } : value;
};

/** Returns the nodes that give variables their values: the others have the program's value, if it has one. */
export const applicationsOf = (parameters: readonly Parameter[], values: ParameterValues): Application[] =>
  parameters.flatMap((parameter) => {
    const { label, default_value: preset } = parameter.args;
    const value = values[label] ?? (isRequired(parameter) ? null : preset);
    return value === null
      ? []
      : [{ kind: 'parameter_application', args: { label, data_value: nodeOf(value) } } as Application];
  });
