import { useLabels } from '../data/schemas.ts';
import type { Change } from './entries.ts';
import styles from './history.module.css';
import { historyText } from './text.ts';
import { useValueWords, Value } from './values.tsx';

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
