import { type ChangeEvent, type MouseEvent, type ReactNode, useRef, useState } from 'react';
import { ArrowDown, ArrowUp } from './icons.tsx';
import styles from './listing.module.css';
import { compareNames } from './natural-order.ts';
import { SelectionBar } from './selection-bar.tsx';
import { uiText } from './text.ts';

/** A column of a listing. */
export interface Column<T> {
  readonly id: string;
  readonly label: string;
  /** The value by which it is sorted: a number, or words in natural order; null is last. */
  readonly value: (row: T) => string | number | null;
  /** Its content, if it is not the value. */
  readonly cell?: (row: T) => ReactNode;
  /** Whether the rows may be summed up by its values. */
  readonly isSummed?: boolean;
}

export interface ListingProps<T> {
  readonly label: string;
  /** Counts the rows: “12 entries”. */
  readonly count: string;
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => number;
  readonly nameOf: (row: T) => string;
  /** The first one names the row. */
  readonly columns: readonly [Column<T>, ...Column<T>[]];
  /** The column by which it is sorted, as in `age` and `-age`; undefined: the first one. */
  readonly sort: string | undefined;
  readonly onSort: (sort: string | undefined) => void;
  /** The row beside which its details are. */
  readonly current?: number | undefined;
  /** Actions on selected rows; undefined: none may be selected. `clear` ends the selection. */
  readonly actions?: ((selected: readonly T[], clear: () => void) => ReactNode) | undefined;
}

/** Compares values of a column; null is last in both directions. */
export function compareValues(one: string | number | null, other: string | number | null, isDown: boolean): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  const order =
    typeof one === 'number' && typeof other === 'number' ? one - other : compareNames(String(one), String(other));
  return isDown ? -order : order;
}

/** THE list of records: sorted by its columns, summed up by them, and with a selection of several. */
export function Listing<T>({
  rows,
  keyOf,
  nameOf,
  columns,
  sort,
  onSort,
  current,
  actions,
  ...words
}: ListingProps<T>) {
  const text = uiText();
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  /** The row that was selected last: Shift selects up to it. */
  const last = useRef<number | null>(null);
  const isDown = sort?.startsWith('-') === true;
  const [first] = columns;
  const sorted = columns.find(({ id }) => id === sort?.replace(/^-/, '')) ?? first;
  const shown = [...rows].sort(
    (a, b) =>
      compareValues(sorted.value(a), sorted.value(b), isDown) || compareValues(first.value(a), first.value(b), false),
  );
  // Rows may be deleted or filtered out meanwhile.
  const chosen = shown.filter((row) => selected.has(keyOf(row)));
  const clear = (): void => setSelected(new Set());
  const select = (keys: readonly number[], isSelected: boolean): void => {
    const next = new Set(chosen.map(keyOf));
    for (const key of keys)
      if (isSelected) next.add(key);
      else next.delete(key);
    setSelected(next);
  };
  const toggle = (key: number, isSelected: boolean, isRange: boolean): void => {
    const keys = shown.map(keyOf);
    const [from, to] = [last.current === null ? -1 : keys.indexOf(last.current), keys.indexOf(key)];
    select(isRange && from >= 0 ? keys.slice(Math.min(from, to), Math.max(from, to) + 1) : [key], isSelected);
    last.current = key;
  };
  const mayRange = useRef(false);
  return (
    <div className={styles.listing}>
      {columns.map((column) =>
        column.isSummed ? (
          <Sums
            key={column.id}
            column={column}
            rows={shown}
            onSelect={actions ? (some) => setSelected(new Set(some.map(keyOf))) : undefined}
          />
        ) : null,
      )}
      {actions ? (
        <SelectionBar count={chosen.length} onClear={clear}>
          {actions(chosen, clear)}
        </SelectionBar>
      ) : null}
      <table aria-label={words.label} data-heir>
        <caption>{words.count}</caption>
        <thead>
          <tr>
            {actions ? (
              <th className={styles.box}>
                <input
                  type="checkbox"
                  aria-label={text.selectAll}
                  checked={chosen.length === shown.length}
                  ref={(box) => {
                    if (box) box.indeterminate = chosen.length > 0 && chosen.length < shown.length;
                  }}
                  onChange={({ target }) => select(shown.map(keyOf), target.checked)}
                />
              </th>
            ) : null}
            {columns.map(({ id, label }) => {
              const isSorted = id === sorted.id;
              const next = isSorted && !isDown ? `-${id}` : id;
              return (
                <th key={id} scope="col" aria-sort={isSorted ? (isDown ? 'descending' : 'ascending') : undefined}>
                  <button type="button" onClick={() => onSort(next === first.id ? undefined : next)}>
                    {label}
                    {isSorted ? isDown ? <ArrowDown size={16} /> : <ArrowUp size={16} /> : null}
                  </button>
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => {
            const key = keyOf(row);
            return (
              <tr key={key} data-current={key === current || undefined}>
                {actions ? (
                  <td className={styles.box}>
                    <input
                      type="checkbox"
                      aria-label={text.select(nameOf(row))}
                      checked={selected.has(key)}
                      onClick={({ shiftKey }: MouseEvent) => {
                        mayRange.current = shiftKey;
                      }}
                      onChange={({ target }: ChangeEvent<HTMLInputElement>) =>
                        toggle(key, target.checked, mayRange.current)
                      }
                    />
                  </td>
                ) : null}
                {columns.map(({ id, value, cell = value }) =>
                  id === first.id ? (
                    <th key={id} scope="row">
                      {cell(row)}
                    </th>
                  ) : (
                    <td key={id}>{cell(row)}</td>
                  ),
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

interface SumsProps<T> {
  readonly column: Column<T>;
  readonly rows: readonly T[];
  readonly onSelect: ((rows: readonly T[]) => void) | undefined;
}

/** The number of rows with each value of a column; pressing one selects them. */
function Sums<T>({ column, rows, onSelect }: SumsProps<T>) {
  const text = uiText();
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const value = String(column.value(row) ?? '–');
    groups.set(value, [...(groups.get(value) ?? []), row]);
  }
  if (groups.size < 2) return null;
  return (
    <details className={styles.sums}>
      <summary>{text.sumsBy(column.label, groups.size)}</summary>
      <ul aria-label={text.sumsBy(column.label, groups.size)}>
        {[...groups]
          .sort(([one], [other]) => compareNames(one, other))
          .map(([value, own]) => (
            <li key={value}>
              {onSelect ? (
                <button type="button" onClick={() => onSelect(own)}>
                  {text.pair(value, String(own.length))}
                </button>
              ) : (
                text.pair(value, String(own.length))
              )}
            </li>
          ))}
      </ul>
    </details>
  );
}
