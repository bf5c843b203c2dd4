import { fieldText } from '../data/field-text.ts';
import { formatMoment, useZone } from '../data/garden-time.ts';
import { wordsOf } from '../data/schema-fields.tsx';
import { useSettingWords } from '../data/setting-words.ts';
import type { Change } from './entries.ts';
import styles from './history.module.css';
import { historyText } from './text.ts';

const isMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

function Value({ value, name }: { readonly value: unknown; readonly name: string }) {
  const text = historyText();
  const zone = useZone();
  if (value === null || value === undefined || value === '') return text.nothing;
  if (typeof value === 'boolean') return value ? text.yes : text.no;
  if (typeof value === 'string' && isMoment.test(value)) return formatMoment(value, zone);
  if (typeof value !== 'object') return String(value);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: long ones are scrolled, by keyboard, too
    <pre className={styles.json} tabIndex={0} role="region" aria-label={name}>
      {JSON.stringify(value, null, 2)}
    </pre>
  );
}

/** The fields that a change gave other values, with both. */
export function Difference({ change: { action, difference } }: { readonly change: Change }) {
  const text = historyText();
  const names = fieldText();
  const settings = useSettingWords();
  const nameOf = (field: string): string => names[field] ?? settings.label(field) ?? wordsOf(field);
  const sides = (['before', 'after'] as const).filter(
    (side) => !(side === 'before' && action === 'created') && !(side === 'after' && action === 'deleted'),
  );
  // Of a whole record only what it has is shown.
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
            <th scope="row">{nameOf(field)}</th>
            {sides.map((side) => (
              <td key={side} className={styles[side]}>
                <Value value={values[side]} name={nameOf(field)} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
