import { useQueries } from '@tanstack/react-query';
import { choiceLabel } from '../data/choice-label.ts';
import { type CollectionName, listQuery, valuesOf } from '../data/collections.ts';
import { cropName, useCrops } from '../data/crops.ts';
import { formatClock, formatMoment, useZone } from '../data/garden-time.ts';
import { isFlag, nameOf } from '../data/schema-fields.tsx';
import { collectionOf, fieldsOf, useLabels, useSchemas } from '../data/schemas.ts';
import { variableName } from '../data/variable-name.ts';
import type { Change } from './entries.ts';
import styles from './history.module.css';
import { historyText } from './text.ts';

/** A value as text, and as JSON if the text is incomplete. */
interface ValueWords {
  readonly text: string;
  readonly json?: unknown;
}

const isMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
/** Names that one value lists. */
const maxNames = 20;
const day = 86_400_000;

/** The lists of the records that steps and values of programs refer to. */
const lists = { point: 'points', tool: 'tools', point_group: 'point_groups' } as const;
const resourceLists: Readonly<Record<string, CollectionName>> = {
  Sequence: 'sequences',
  Regimen: 'regimens',
  Peripheral: 'peripherals',
  Sensor: 'sensors',
};
const named: Readonly<Record<string, readonly CollectionName[]>> = {
  point_ids: ['points'],
  regimen_items: ['sequences'],
  executable_id: ['sequences', 'regimens'],
  body: [...Object.values(lists), ...Object.values(resourceLists)],
};

type Values = Readonly<Record<string, unknown>>;
type LabelOf = (name: string) => string;
type NameOfRecord = (list: CollectionName, id: unknown) => string;

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const entriesOf = (value: unknown): readonly [string, unknown][] => (isObject(value) ? Object.entries(value) : []);

/** The value of a variable. */
function nodeWords(node: unknown, nameOfRecord: NameOfRecord): string {
  if (!isObject(node) || !isObject(node.args)) return '';
  const { kind, args } = node;
  if (kind === 'coordinate') return `(${args.x}, ${args.y}, ${args.z})`;
  if (kind === 'point') return nameOfRecord('points', args.pointer_id);
  if (kind === 'tool') return nameOfRecord('tools', args.tool_id);
  if (kind === 'point_group') return nameOfRecord('point_groups', args.point_group_id);
  const list = resourceLists[String(args.resource_type)];
  if (kind === 'resource' && list) return nameOfRecord(list, args.resource_id);
  return String(args.number ?? args.string ?? (args.label ? variableName(String(args.label)) : ''));
}

function criteriaWords(criteria: Values, labelOf: LabelOf): string {
  const text = historyText();
  const { day: age, string_eq, number_eq, number_gt, number_lt } = criteria;
  const words = (field: string, value: unknown): string => choiceLabel(field, String(value)) ?? String(value);
  return [
    ...[string_eq, number_eq].flatMap((equal) =>
      entriesOf(equal).flatMap(([field, values]) =>
        listOf(values).length === 0
          ? []
          : [
              text.pair(
                labelOf(field),
                listOf(values)
                  .map((each) => words(field, each))
                  .join(', '),
              ),
            ],
      ),
    ),
    ...entriesOf(number_gt).map(([field, value]) => text.above(labelOf(field), Number(value))),
    ...entriesOf(number_lt).map(([field, value]) => text.below(labelOf(field), Number(value))),
    ...(isObject(age) && Number(age.days_ago) > 0
      ? [age.op === '>' ? text.olderThan(Number(age.days_ago)) : text.youngerThan(Number(age.days_ago))]
      : []),
  ].join('; ');
}

/** The time of an item of a regimen, in ms after the first day began. */
function itemWords(item: unknown, nameOfRecord: NameOfRecord): string {
  if (!isObject(item)) return '';
  const offset = Number(item.time_offset);
  const clock = formatClock(offset, 'UTC');
  return historyText().day(Math.floor(offset / day) + 1, clock, nameOfRecord('sequences', item.sequence_id));
}

/** Returns a function that formats the values of a change: names instead of ids, labels of choices. */
export function useValueWords({ resource, before, after, difference }: Change) {
  const text = historyText();
  const zone = useZone();
  const crops = useCrops();
  const schemas = useSchemas();
  const labelOf = useLabels(resource);
  const labelOfPoint = useLabels('Point');
  const flags = new Set(
    fieldsOf(schemas[`${resource}Update`] ?? {}, schemas).flatMap((field) => (isFlag(field) ? [field.name] : [])),
  );
  const needed = [
    ...new Set(difference.flatMap(({ field }) => named[field] ?? collectionOf(field) ?? [])),
  ] as readonly CollectionName[];
  const results = useQueries({ queries: needed.map((list) => listQuery(list)) });
  const nameOfRecord: NameOfRecord = (list, id) => {
    const records = (results[needed.indexOf(list)]?.data ?? []) as readonly { readonly id: number }[];
    const record = records.find((each) => each.id === id);
    return record ? nameOf(record) : `#${id}`;
  };
  const namesOf = (ids: readonly unknown[], list: CollectionName): string => {
    const names = ids
      .slice(0, maxNames)
      .map((id) => nameOfRecord(list, id))
      .join(', ');
    return ids.length > maxNames ? text.someMore(names, ids.length - maxNames) : names;
  };

  const textOf = (field: string, value: unknown): string | null => {
    if (value === null || value === undefined || value === '') return text.nothing;
    if (typeof value === 'boolean' || flags.has(field)) return value === true || value === 1 ? text.yes : text.no;
    if (typeof value !== 'number' && typeof value !== 'string') return null;
    if (field === 'executable_id') {
      const type = valuesOf(after ?? before ?? {}).executable_type;
      return nameOfRecord(type === 'Regimen' ? 'regimens' : 'sequences', value);
    }
    const list = collectionOf(field);
    return typeof value === 'number' && list ? nameOfRecord(list, value) : scalarWords(field, value);
  };
  const scalarWords = (field: string, value: string | number): string => {
    const plain = String(value);
    const crop = field === 'openfarm_slug' ? crops.get(plain) : undefined;
    if (crop) return cropName(crop);
    return isMoment.test(plain) ? formatMoment(plain, zone) : (choiceLabel(field, value) ?? plain);
  };
  return (field: string, value: unknown): ValueWords => {
    const plain = textOf(field, value);
    return plain === null
      ? objectWords(field, value, nameOfRecord, namesOf, field === 'criteria' ? labelOfPoint : labelOf)
      : { text: plain };
  };
}

/** Text for a list or an object. */
function objectWords(
  field: string,
  value: unknown,
  nameOfRecord: NameOfRecord,
  namesOf: (ids: readonly unknown[], list: CollectionName) => string,
  labelOf: LabelOf,
): ValueWords {
  const text = historyText();
  const lines = (words: readonly string[]): ValueWords => ({ text: words.join('\n') || text.nothing });
  if (field === 'point_ids') return lines([namesOf(listOf(value), 'points')]);
  if (field === 'regimen_items') return lines(listOf(value).map((item) => itemWords(item, nameOfRecord)));
  if (field === 'criteria' && isObject(value)) return lines([criteriaWords(value, labelOf)]);
  if (field === 'data' || field === 'meta')
    return lines(entriesOf(value).map(([name, part]) => text.pair(labelOf(name), String(part))));
  if (field === 'body' && Array.isArray(value)) {
    const isApplied = (node: unknown): node is { args: Values } =>
      isObject(node) && node.kind === 'parameter_application' && isObject(node.args);
    const applied = value.filter(isApplied);
    const steps = value.length - applied.length;
    const words = applied.map(({ args }) =>
      text.pair(variableName(String(args.label)), nodeWords(args.data_value, nameOfRecord)),
    );
    if (steps === 0) return lines(words);
    return { text: [...words, text.steps(steps)].join('\n'), json: value };
  }
  const variables = isObject(value) && isObject(value.locals) ? listOf(value.locals.body) : null;
  if (variables !== null)
    return {
      ...lines(
        variables.flatMap((each) =>
          isObject(each) && isObject(each.args) ? [variableName(String(each.args.label))] : [],
        ),
      ),
      ...(variables.length > 0 && { json: value }),
    };
  return { text: '', json: value };
}

/** A value as text; omitted parts are shown on request. */
export function Value({ words: { text, json }, name }: { readonly words: ValueWords; readonly name: string }) {
  return (
    <>
      {text === '' ? null : <span className={styles.lines}>{text}</span>}
      {json === undefined ? null : (
        <details>
          <summary>{historyText().asJson}</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long ones are scrolled, by keyboard, too */}
          <pre className={styles.json} tabIndex={0} role="region" aria-label={name}>
            {JSON.stringify(json, null, 2)}
          </pre>
        </details>
      )}
    </>
  );
}

/** The fields that a change gave other values, with both. */
export function Difference({ change }: { readonly change: Change }) {
  const { action, difference } = change;
  const text = historyText();
  const words = useValueWords(change);
  const labelOf = useLabels(change.resource);
  const sides = (['before', 'after'] as const).filter(
    (side) => !(side === 'before' && action === 'created') && !(side === 'after' && action === 'deleted'),
  );
  // Of a whole record, only fields that have a value are shown.
  const shown =
    action === 'updated' ? difference : difference.filter((each) => sides.some((side) => each[side] !== null));
  if (shown.length === 0) return <p>{text.noDifference}</p>;
  return (
    <table className={styles.difference}>
      <caption>{text.difference}</caption>
      <thead>
        <tr>
          <th scope="col">{text.field}</th>
          {sides.map((side) => (
            <th key={side} scope="col">
              {text[side]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {shown.map(({ field, ...values }) => (
          <tr key={field}>
            <th scope="row">{labelOf(field)}</th>
            {sides.map((side) => (
              <td key={side} className={styles[side]}>
                <Value words={words(field, values[side])} name={labelOf(field)} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
