import { Link } from '@tanstack/react-router';
import { orderedPoints } from '../../../src/core/point-order.ts';
import { choiceLabel } from '../data/choice-label.ts';
import { useRecords } from '../data/collections.ts';
import { cropName, useCrops } from '../data/crops.ts';
import { type Criteria, isMatch, membersOf } from '../data/group-criteria.ts';
import { textOfIds } from '../data/point-ids.ts';
import { pointKinds } from '../data/point-kinds.ts';
import type { Values } from '../data/schema-fields.tsx';
import { useLabels } from '../data/schemas.ts';
import { FieldNote } from '../ui/field-notes.tsx';
import { type Choice, NumberField, Select } from '../ui/fields.tsx';
import { wordsOf } from '../ui/letters.ts';
import { uiText } from '../ui/text.ts';
import { PointsPreview } from './points-preview.tsx';
import { thingsText } from './text.ts';
import styles from './things.module.css';

export interface SpecialFieldsProps {
  readonly values: Values;
  readonly onChange: (changes: Values) => void;
  readonly isDisabled: boolean;
}

const none: Criteria = { day: { op: '<', days_ago: 0 }, string_eq: {}, number_eq: {}, number_lt: {}, number_gt: {} };
const groupedKinds = ['Plant', 'Weed', 'GenericPointer'] as const;
const axes = ['x', 'y', 'z'] as const;
const chosenFields = ['pointer_type', 'openfarm_slug', 'plant_stage'];
/** Between several values of one field; in no value. */
const separator = '\n';

/** Returns a description of criteria that have no field here: other clients create them. */
function otherCriteria(
  { string_eq, number_eq, number_lt, number_gt }: Criteria,
  labelOf: (name: string) => string,
): readonly string[] {
  const without = (criteria: object | undefined, fields: readonly string[]): readonly [string, unknown][] =>
    Object.entries(criteria ?? {}).filter(([field]) => !fields.includes(field));
  return [
    ...[...without(string_eq, chosenFields), ...without(number_eq, [])].flatMap(([field, values]) =>
      Array.isArray(values) && values.length > 0 ? [`${labelOf(field)} = ${values.join(', ')}`] : [],
    ),
    ...without(number_lt, axes).map(([field, value]) => `${labelOf(field)} < ${value}`),
    ...without(number_gt, axes).map(([field, value]) => `${labelOf(field)} > ${value}`),
  ];
}

/** The criteria of a group with its members on a drawing of the bed, which follows the input. */
export function GroupFields({ values, onChange }: SpecialFieldsProps) {
  const {
    group: text,
    places: { kinds: kindNames },
  } = thingsText();
  const points = useRecords('points');
  const crops = useCrops();
  const criteria: Criteria = { ...none, ...(values.criteria as Partial<Criteria> | undefined) };
  const chosen = (values.point_ids as readonly number[] | undefined) ?? [];
  const now = Date.now();
  const members = membersOf({ point_ids: chosen, criteria }, points, now);
  const change = (changes: Partial<Criteria>): void =>
    onChange({ criteria: { ...criteria, ...changes }, ...(values.point_ids ? {} : { point_ids: [] }) });
  const only = (field: string): string => (criteria.string_eq?.[field] ?? []).join(separator);
  const choose = (field: string, value: string): void =>
    change({ string_eq: { ...criteria.string_eq, [field]: value === '' ? [] : value.split(separator) } });
  /** The choices of a field, with the present one where that is several of them, or in no point. */
  const choicesOf = (
    field: string,
    none: string,
    values: readonly string[],
    nameOf: (value: string) => string,
  ): readonly Choice<string>[] => {
    const several = criteria.string_eq?.[field] ?? [];
    return [
      { value: '', label: none },
      ...values.map((value) => ({ value, label: nameOf(value) })),
      ...(several.length > 0 && !values.includes(only(field))
        ? [{ value: only(field), label: several.map((each) => nameOf(String(each))).join(', ') }]
        : []),
    ];
  };
  const kindName = (value: string): string =>
    pointKinds.flatMap((kind) => (kind === value ? [kindNames[kind]] : []))[0] ?? value;
  const sortName = (slug: string): string => {
    const crop = crops.get(slug);
    return crop ? cropName(crop) : wordsOf(slug.replaceAll('-', '_'));
  };
  const stageName = (stage: string): string => choiceLabel('plant_stage', stage) ?? wordsOf(stage);
  const others = otherCriteria(criteria, useLabels('Point'));
  const without = (limits: Readonly<Record<string, number | undefined>>, field: string): Record<string, number> =>
    Object.fromEntries(
      Object.entries(limits).flatMap(([key, value]) => (key === field || value === undefined ? [] : [[key, value]])),
    );
  const limit = (side: 'number_gt' | 'number_lt', field: string, value: number): void =>
    change({ [side]: { ...without(criteria[side] ?? {}, field), ...(Number.isNaN(value) ? {} : { [field]: value }) } });
  const slugs = [...new Set(points.flatMap((point) => ('openfarm_slug' in point ? [point.openfarm_slug] : [])))].sort();
  const stages = [...new Set(points.flatMap((point) => ('plant_stage' in point ? [point.plant_stage] : [])))].sort();
  return (
    <>
      <h3>{text.criteria}</h3>
      <p>{text.criteriaHint}</p>
      <FieldNote name="criteria" />
      <Select
        label={text.kind}
        value={only('pointer_type')}
        choices={choicesOf('pointer_type', text.anyKind, groupedKinds, kindName)}
        onChange={(value) => choose('pointer_type', value)}
      />
      <Select
        label={text.crop}
        value={only('openfarm_slug')}
        choices={choicesOf('openfarm_slug', '–', slugs, sortName)}
        onChange={(value) => choose('openfarm_slug', value)}
      />
      <Select
        label={text.stage}
        value={only('plant_stage')}
        choices={choicesOf('plant_stage', '–', stages, stageName)}
        onChange={(value) => choose('plant_stage', value)}
      />
      <div className={styles.pair}>
        {(
          [
            ['>', text.olderThan],
            ['<', text.youngerThan],
          ] as const
        ).map(([op, label]) => (
          <NumberField
            key={op}
            label={label}
            minValue={0}
            value={criteria.day?.op === op && criteria.day.days_ago !== 0 ? criteria.day.days_ago : Number.NaN}
            onChange={(value) => change({ day: { op, days_ago: Number.isNaN(value) ? 0 : Math.round(value) } })}
          />
        ))}
        {axes.flatMap((axis) => [
          <NumberField
            key={`${axis} from`}
            label={text.from(axis)}
            value={criteria.number_gt?.[axis] ?? Number.NaN}
            onChange={(value) => limit('number_gt', axis, value)}
          />,
          <NumberField
            key={`${axis} to`}
            label={text.to(axis)}
            value={criteria.number_lt?.[axis] ?? Number.NaN}
            onChange={(value) => limit('number_lt', axis, value)}
          />,
        ])}
      </div>
      {others.length > 0 ? <p>{text.others(others.join('; '))}</p> : null}
      <h3>{uiText().pair(text.members, String(members.length))}</h3>
      <FieldNote name="point_ids" />
      <p>
        {text.chosen(chosen.length)} · {text.matching(points.filter((point) => isMatch(point, criteria, now)).length)}
      </p>
      <PointsPreview
        label={text.preview}
        points={points}
        members={new Set(members.map(({ id }) => id))}
        // A random order differs each time.
        {...(values.sort_type === 'random' ? {} : { path: orderedPoints(members, values.sort_type) })}
      />
      <Link to="/map" search={{ points: textOfIds(members.map(({ id }) => id)) }}>
        {text.showOnMap}
      </Link>
    </>
  );
}
