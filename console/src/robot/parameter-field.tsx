import { useRecords } from '../data/collections.ts';
import type { components } from '../data/generated/api.ts';
import { ComboBox } from '../ui/combo-box.tsx';
import { NumberField, TextField } from '../ui/fields.tsx';
import { robotText } from './text.ts';

export type Parameter = components['schemas']['ParameterDeclaration'];
export type ParameterValue = components['schemas']['Node'] | number | string;

export interface ParameterFieldProps {
  readonly parameter: Parameter;
  /** Null: as in the program. */
  readonly value: ParameterValue | null;
  readonly onChange: (value: ParameterValue | null) => void;
}

/** A field for the value of a program's variable, by the kind of its default. */
export function ParameterField({ parameter, value, onChange }: ParameterFieldProps) {
  const { label, default_value: preset } = parameter.args;
  if (preset.kind === 'numeric' || preset.kind === 'number_placeholder')
    return (
      <NumberField
        label={label}
        value={typeof value === 'number' ? value : preset.kind === 'numeric' ? preset.args.number : Number.NaN}
        onChange={(number) => onChange(Number.isNaN(number) ? null : number)}
      />
    );
  if (preset.kind === 'text' || preset.kind === 'text_placeholder')
    return (
      <TextField
        label={label}
        value={typeof value === 'string' ? value : preset.kind === 'text' ? preset.args.string : ''}
        onChange={onChange}
      />
    );
  const type = preset.kind === 'resource' || preset.kind === 'resource_placeholder' ? preset.args.resource_type : null;
  if (type === 'Sequence' || type === 'Peripheral' || type === 'Sensor')
    return <RecordField label={label} type={type} value={value} onChange={onChange} />;
  return (
    <PlaceField label={label} isOptional={!preset.kind.endsWith('placeholder')} value={value} onChange={onChange} />
  );
}

interface ChoiceFieldProps {
  readonly label: string;
  readonly value: ParameterValue | null;
  readonly onChange: (value: ParameterValue | null) => void;
}

const lists = { Sequence: 'sequences', Peripheral: 'peripherals', Sensor: 'sensors' } as const;

function RecordField({ label, type, value, onChange }: ChoiceFieldProps & { readonly type: keyof typeof lists }) {
  const records = useRecords(lists[type]);
  const chosen = typeof value === 'object' && value?.kind === 'resource' ? value.args.resource_id : null;
  return (
    <ComboBox
      label={label}
      value={chosen}
      onChange={(id) => onChange({ kind: 'resource', args: { resource_type: type, resource_id: id } })}
      choices={records.map((record) => ({
        value: record.id,
        label: 'name' in record ? record.name : record.label,
      }))}
    />
  );
}

/** A plant, another point, a tool or a group. */
function PlaceField({ label, isOptional, value, onChange }: ChoiceFieldProps & { readonly isOptional: boolean }) {
  const text = robotText();
  const points = useRecords('points');
  const tools = useRecords('tools');
  const groups = useRecords('point_groups');
  const nodes = new Map<string, { readonly label: string; readonly node: components['schemas']['Node'] }>([
    ...points.map(
      ({ id, name, x, y, pointer_type }) =>
        [
          `point ${id}`,
          { label: `${name} (${x}, ${y})`, node: { kind: 'point', args: { pointer_type, pointer_id: id } } },
        ] as const,
    ),
    ...tools.map(
      ({ id, name }) => [`tool ${id}`, { label: name ?? '', node: { kind: 'tool', args: { tool_id: id } } }] as const,
    ),
    ...groups.map(
      ({ id, name }) =>
        [`group ${id}`, { label: name, node: { kind: 'point_group', args: { point_group_id: id } } }] as const,
    ),
  ]);
  const chosen = [...nodes].find(([, { node }]) => JSON.stringify(node) === JSON.stringify(value))?.[0] ?? null;
  return (
    <ComboBox
      label={label}
      value={chosen}
      placeholder={isOptional ? text.useDefault : text.place}
      onChange={(key) => onChange(nodes.get(key)?.node ?? null)}
      choices={[...nodes].map(([key, { label: words }]) => ({ value: key, label: words }))}
    />
  );
}
