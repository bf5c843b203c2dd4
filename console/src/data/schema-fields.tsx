import { type ReactNode, useEffect, useId, useRef } from 'react';
import { ComboBox } from '../ui/combo-box.tsx';
import { equipmentPictures } from '../ui/equipment-pictures.tsx';
import { NumberField, Select, Switch, TextField } from '../ui/fields.tsx';
import { wordsOf } from '../ui/letters.ts';
import { plainWords, type WordedFields } from '../ui/meanwhile.tsx';
import { PictureChoice } from '../ui/picture-choice.tsx';
import { choiceLabel } from './choice-label.ts';
import { type CollectionName, useRecords } from './collections.ts';
import styles from './schema-fields.module.css';
import type { Field } from './schemas.ts';
import { sharedLabels } from './shared-labels.ts';

export type Values = Readonly<Record<string, unknown>>;

export interface SchemaFieldsProps {
  readonly fields: readonly Field[];
  readonly values: Values;
  /** Gets the values with one changed. */
  readonly onChange: (values: Values) => void;
  readonly problems?: Readonly<Record<string, string>>;
}

/** Longer lists of choices are searched by typing. */
const maxSelected = 40;

/** Limits of texts that get several lines: names are shorter; addresses and fields with the limit of any text are a line, too. */
const paragraph = { min: 500, max: 5000 } as const;

/** A form's fields from the schemas of the API: types, ranges, choices and descriptions follow from the declarations. Fields of other types are omitted. */
export function SchemaFields({ fields, values, onChange, problems = {} }: SchemaFieldsProps) {
  // A number reports its value when it loses the focus: in the event that chooses another field's value, before a render.
  const latest = useRef(values);
  useEffect(() => {
    latest.current = values;
  }, [values]);
  const change = (name: string) => (value: unknown) => {
    latest.current = { ...latest.current, [name]: value };
    onChange(latest.current);
  };
  const widget = (field: Field) => (
    <SchemaField
      key={field.name}
      field={field}
      value={values[field.name] === undefined ? (field['x-default'] ?? null) : values[field.name]}
      onChange={change(field.name)}
      onTyped={change(field.name)}
      problem={problems[field.name]}
    />
  );
  return fields.map((field, index) => {
    const vector = vectorOf(field);
    if (vector === null) return widget(field);
    if (vectorOf(fields[index - 1]) === vector) return null;
    return (
      <VectorRow key={vector} hint={field.hint}>
        {fields.filter((each) => vectorOf(each) === vector).map((each) => widget({ ...each, hint: undefined }))}
      </VectorRow>
    );
  });
}

/** The vector that an offset belongs to: `effector_offset` of `effector_offset_x`; null: none. */
const vectorOf = (field: Field | undefined): string | null =>
  /^(\w+_offset)_[xyz]$/.exec(field?.name ?? '')?.[1] ?? null;

/** The offsets of the three axes beside each other, with the hint that they share. */
function VectorRow({ hint, children }: { readonly hint: string | undefined; readonly children: ReactNode }) {
  const id = useId();
  return (
    <fieldset className={styles.vector} aria-describedby={id}>
      {children}
      <p id={id}>{hint}</p>
    </fieldset>
  );
}

export interface SchemaFieldProps {
  readonly field: Field;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  /** Gets a number also while it is typed, before the field is left. */
  readonly onTyped?: (value: unknown) => void;
  readonly problem?: string | undefined;
}

/** Whether {@link SchemaField} shows a field with its problem. */
export const hasWidget = ({ kind, collection }: Field): boolean =>
  collection !== undefined || !(kind === 'time' || kind === 'other');

/** Whether a number stands for yes (1) and no (0), as in firmware. */
export const isFlag = ({ kind, minimum, maximum }: Field): boolean =>
  kind === 'integer' && minimum === 0 && maximum === 1;

interface ChoiceFieldProps extends SchemaFieldProps {
  readonly name: string;
  readonly label: string;
  readonly hint: string | undefined;
  readonly isRequired: boolean;
}

/** One of the values that the schema lists: of many, by typing. */
function ChoiceField({ field, value, onChange, ...common }: ChoiceFieldProps) {
  const choices = (field.enum ?? []).filter((each) => each !== null);
  if (choices.length > maxSelected) {
    const shown = value === null ? choices : [...new Set([...choices, value])];
    return (
      <ComboBox
        label={common.label}
        name={common.name}
        problem={common.problem}
        value={value === null ? null : String(value)}
        choices={shown.map((each) => ({ value: String(each), label: String(each).replaceAll('_', ' ') }))}
        onChange={onChange}
      />
    );
  }
  const labelled = choices.map((each) => ({
    value: String(each),
    label: choiceLabel(field.name, each) ?? wordsOf(String(each)),
  }));
  const pictured = labelled.flatMap((choice) => {
    const picture = equipmentPictures[choice.value];
    return picture ? [{ ...choice, picture }] : [];
  });
  if (pictured.length === choices.length)
    return <PictureChoice {...common} value={String(value)} choices={pictured} onChange={onChange} />;
  return (
    <Select
      {...common}
      value={value === null ? '' : String(value)}
      choices={[...(field.isNullable ? [{ value: '', label: '–' }] : []), ...labelled]}
      onChange={(text) => onChange(text === '' ? null : (choices.find((each) => String(each) === text) ?? text))}
    />
  );
}

/** One field of a form; nothing for a kind that has no widget. */
export function SchemaField({ field, value, onChange, onTyped, problem }: SchemaFieldProps) {
  const orNull = (number: number): number | null => (Number.isNaN(number) ? null : number);
  const { kind, label, hint, isRequired, isNullable, maxLength } = field;
  const common = { label, hint, problem, isRequired, name: field.name };
  if (field.collection)
    return (
      <RecordSelect
        {...common}
        collection={field.collection}
        value={typeof value === 'number' ? value : null}
        onChange={onChange}
        isOptional={isNullable || !isRequired}
      />
    );
  if (isFlag(field))
    return (
      <Switch
        label={label}
        name={field.name}
        hint={hint}
        problem={problem}
        isSelected={value === 1}
        onChange={(isOn) => onChange(isOn ? 1 : 0)}
      />
    );
  switch (kind) {
    case 'boolean':
      return <Switch {...common} isSelected={value === true} onChange={onChange} />;
    case 'integer':
    case 'number':
      return (
        <NumberField
          {...common}
          value={typeof value === 'number' ? value : Number.NaN}
          onChange={(next) => onChange(orNull(next))}
          onTyped={onTyped && ((next) => onTyped(orNull(next)))}
          minValue={field.minimum}
          maxValue={field.maximum}
          step={kind === 'integer' ? 1 : undefined}
        />
      );
    case 'choice':
      return <ChoiceField {...common} field={field} value={value} onChange={onChange} />;
    case 'text':
      return (
        <TextField
          {...common}
          value={typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value)}
          isReadOnly={typeof value === 'object' && value !== null}
          onChange={(text) => onChange(text === '' && isNullable ? null : text)}
          maxLength={maxLength}
          isLong={
            field.format !== 'uri' &&
            maxLength !== undefined &&
            maxLength >= paragraph.min &&
            maxLength <= paragraph.max
          }
        />
      );
    default:
      return null;
  }
}

/** Returns the labels of fields, and functions that format their values: texts, numbers and choices. */
export const wordedFields = (fields: readonly Field[]): WordedFields<Values> =>
  Object.fromEntries(
    fields.map(({ name, label, kind, collection }) => [
      name,
      [
        label,
        (value: unknown) =>
          collection || kind === 'time'
            ? null
            : kind === 'choice' && value != null
              ? (choiceLabel(name, String(value)) ?? wordsOf(String(value)))
              : plainWords(value),
      ],
    ]),
  );

/** The display name of a record. */
export const nameOf = (record: object): string => {
  const { name, label, key, url, id, pin_num } = record as Readonly<Record<string, unknown>>;
  if (typeof pin_num === 'number') return `${sharedLabels().pin} ${pin_num}`;
  const text = [name, label, key, url].find((each) => typeof each === 'string' && each !== '');
  return typeof text === 'string' ? text : `#${id}`;
};

interface RecordSelectProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: string | undefined;
  readonly problem?: string | undefined;
  readonly collection: CollectionName;
  readonly value: number | null;
  readonly onChange: (id: number | null) => void;
  /** Whether there may be none. */
  readonly isOptional?: boolean;
}

/** Chooses one record of a list by its name. Suspends. */
function RecordSelect({ collection, value, onChange, isOptional = false, ...props }: RecordSelectProps) {
  const records = useRecords(collection);
  return (
    <Select
      {...props}
      value={value ?? 0}
      choices={[
        ...(isOptional || value === null ? [{ value: 0, label: '–' }] : []),
        ...records.map((record) => ({ value: record.id, label: nameOf(record) })),
      ]}
      onChange={(id) => onChange(id === 0 ? null : id)}
    />
  );
}
