import { ComboBox } from '../ui/combo-box.tsx';
import { NumberField, TextField } from '../ui/fields.tsx';
import { FieldProblems } from '../ui/submission.ts';
import { useRecords } from './collections.ts';
import type { components } from './generated/api.ts';
import { isRequired, missingOf, type Parameter, type ParameterValue, type ParameterValues } from './parameters.ts';
import { placeKey, usePlaces } from './places.ts';
import { dataText } from './text.ts';
import { variableName } from './variable-name.ts';

interface ParameterFieldProps {
  readonly parameter: Parameter;
  /** Null: as in the program. */
  readonly value: ParameterValue | null;
  readonly onChange: (value: ParameterValue | null) => void;
  readonly problem?: string | undefined;
}

/** Returns the name of a variable's problem among the problems of a form. */
export const problemKey = ({ args }: Parameter): string => `variable ${args.label}`;

/** Returns the values of variables by the names of their problems; null: as in the program. */
export const parameterValues = (parameters: readonly Parameter[], values: ParameterValues): object =>
  Object.fromEntries(parameters.map((each) => [problemKey(each), values[each.args.label] ?? null]));

/** Throws the problems of variables without a value. */
export function requireValues(parameters: readonly Parameter[], values: ParameterValues): void {
  const missing = missingOf(parameters, values);
  if (missing.length === 0) return;
  throw new FieldProblems(Object.fromEntries(missing.map((each) => [problemKey(each), dataText().missing])));
}

export interface ParameterFieldsProps {
  readonly parameters: readonly Parameter[];
  readonly values: ParameterValues;
  readonly onChange: (values: ParameterValues) => void;
  /** Of the form, by {@link problemKey}. */
  readonly problems: Readonly<Record<string, string>>;
}

/** The fields of the values of variables. */
export const ParameterFields = ({ parameters, values, onChange, problems }: ParameterFieldsProps) =>
  parameters.map((parameter) => (
    <ParameterField
      key={parameter.args.label}
      parameter={parameter}
      value={values[parameter.args.label] ?? null}
      onChange={(value) => onChange({ ...values, [parameter.args.label]: value })}
      problem={problems[problemKey(parameter)]}
    />
  ));

/** A field for the value of a program's variable, by the kind of its default. */
function ParameterField({ parameter, ...field }: ParameterFieldProps) {
  const preset = parameter.args.default_value;
  const label = variableName(parameter.args.label);
  const { value, onChange, ...state } = field;
  if (preset.kind === 'numeric' || preset.kind === 'number_placeholder')
    return (
      <NumberField
        {...state}
        label={label}
        value={typeof value === 'number' ? value : preset.kind === 'numeric' ? preset.args.number : Number.NaN}
        onChange={(number) => onChange(Number.isNaN(number) ? null : number)}
      />
    );
  if (preset.kind === 'text' || preset.kind === 'text_placeholder')
    return (
      <TextField
        {...state}
        label={label}
        value={typeof value === 'string' ? value : preset.kind === 'text' ? preset.args.string : ''}
        onChange={onChange}
      />
    );
  const type = preset.kind === 'resource' || preset.kind === 'resource_placeholder' ? preset.args.resource_type : null;
  if (type === 'Sequence' || type === 'Peripheral' || type === 'Sensor')
    return <RecordField label={label} type={type} {...field} />;
  return <PlaceField label={label} preset={isRequired(parameter) ? null : preset} {...field} />;
}

interface ChoiceFieldProps extends Omit<ParameterFieldProps, 'parameter'> {
  readonly label: string;
}

const lists = { Sequence: 'sequences', Peripheral: 'peripherals', Sensor: 'sensors' } as const;

function RecordField({ type, value, onChange, ...field }: ChoiceFieldProps & { readonly type: keyof typeof lists }) {
  const records = useRecords(lists[type]);
  const chosen = typeof value === 'object' && value?.kind === 'resource' ? value.args.resource_id : null;
  return (
    <ComboBox
      {...field}
      value={chosen}
      onChange={(id) => onChange({ kind: 'resource', args: { resource_type: type, resource_id: id } })}
      choices={records.map((record) => ({
        value: record.id,
        label: 'name' in record ? record.name : record.label,
      }))}
    />
  );
}

type Node = components['schemas']['Node'];

const wordsOf = (node: Node): string =>
  node.kind === 'coordinate' ? `(${node.args.x}, ${node.args.y}, ${node.args.z})` : '';

/** A group, a plant, another point or a tool. `preset`: the location in the program; null: none. */
function PlaceField({ preset, value, onChange, ...field }: ChoiceFieldProps & { readonly preset: Node | null }) {
  const text = dataText();
  const places = usePlaces();
  const key = placeKey(value);
  const count = places.get(key)?.count ?? null;
  const combo = (
    <ComboBox
      {...field}
      value={places.has(key) ? key : null}
      placeholder={
        typeof value === 'object' && value?.kind === 'coordinate'
          ? wordsOf(value)
          : preset
            ? `${text.useDefault} ${wordsOf(preset)}`.trim()
            : text.place
      }
      onChange={(next) => onChange(places.get(next)?.node ?? null)}
      choices={[...places].map(([value, { choice }]) => ({ value, label: choice }))}
    />
  );
  return (
    <>
      {combo}
      {count === null ? null : <p>{text.atEach(count)}</p>}
    </>
  );
}
