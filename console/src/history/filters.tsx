import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { historyNames } from '../data/generated/resources.ts';
import { countOf, resourceTitle } from '../data/resource-names.ts';
import { Select, TextField } from '../ui/fields.tsx';
import { compareNames } from '../ui/natural-order.ts';
import { actorKinds } from './actor-kinds.ts';
import type { Entry } from './entries.ts';
import styles from './history.module.css';
import { historyText } from './text.ts';

const historyRoute = getRouteApi('/garden/history');

const all = 'all';

/** The filters of the list. `entries` has the names of people. */
export function Filters({ entries }: { readonly entries: readonly Entry[] }) {
  const text = historyText();
  const { resource, record, actor, from, to } = historyRoute.useSearch();
  const navigate = useNavigate({ from: '/history' });
  const people = new Map(
    entries.flatMap(({ actor: { kind, user_id, name } }) =>
      kind === 'user' && user_id !== null ? [[user_id, name ?? text.person(user_id)] as const] : [],
    ),
  );
  if (typeof actor === 'number' && !people.has(actor)) people.set(actor, text.person(actor));
  const set = (change: Partial<Pick<ReturnType<typeof historyRoute.useSearch>, 'actor' | 'from' | 'to'>>): void =>
    void navigate({ search: (before) => ({ ...before, ...change, entry: undefined }), replace: true });
  const isFiltered = [resource, record, actor, from, to].some((each) => each !== undefined);
  return (
    <search className={styles.filters} aria-label={text.filters}>
      <Select
        label={text.resource}
        value={resource ?? all}
        choices={[
          { value: all, label: text.everything },
          ...historyNames
            .map((value) => ({ value, label: resourceTitle(value) }))
            .sort((a, b) => compareNames(a.label, b.label)),
        ]}
        onChange={(value) =>
          void navigate({
            search: (before) => ({
              ...before,
              resource: value === all ? undefined : value,
              record: undefined,
              entry: undefined,
            }),
            replace: true,
          })
        }
      />
      <Select<string | number>
        label={text.actor}
        value={actor ?? all}
        choices={[
          { value: all, label: text.everybody },
          ...[...people].map(([value, label]) => ({ value, label })),
          ...actorKinds.map((value) => ({ value, label: value === 'user' ? text.people : text.kinds[value] })),
        ]}
        onChange={(value) =>
          set({
            actor: typeof value === 'number' ? value : actorKinds.find((kind) => kind === value),
          } as Parameters<typeof set>[0])
        }
      />
      <TextField
        label={text.from}
        type="date"
        value={from ?? ''}
        onChange={(value) => set({ from: value || undefined } as Parameters<typeof set>[0])}
      />
      <TextField
        label={text.to}
        type="date"
        value={to ?? ''}
        onChange={(value) => set({ to: value || undefined } as Parameters<typeof set>[0])}
      />
      {isFiltered ? (
        <p className={styles.clear}>
          {resource !== undefined && record !== undefined ? (
            <span>{text.record(countOf(resource, 1), record)}</span>
          ) : null}
          <Link to="/history" search={{}}>
            {text.clear}
          </Link>
        </p>
      ) : null}
    </search>
  );
}
