import type { RecordOf } from '../data/collections.ts';
import type { components } from '../data/generated/api.ts';

type Application = components['schemas']['ParameterApplication'];

/** Returns the values that the variables of a program or regimen have by default. */
export function defaultValues(program: RecordOf<'sequences'> | RecordOf<'regimens'> | undefined): Application[] {
  const declared = !program ? [] : 'args' in program ? (program.args.locals.body ?? []) : program.body;
  return declared.flatMap((node) =>
    node.kind === 'parameter_declaration'
      ? [
          {
            kind: 'parameter_application' as const,
            args: { label: node.args.label, data_value: node.args.default_value },
          } as Application,
        ]
      : [],
  );
}
