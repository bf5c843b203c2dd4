import { choiceLabel } from '../data/choice-label.ts';
import { type CollectionName, listQuery, type RecordOf } from '../data/collections.ts';
import { queryClient } from '../data/query-client.ts';
import { listTitle } from '../data/resource-names.ts';
import { nameOf } from '../data/schema-fields.tsx';
import { type Entry, navigation } from './navigation.ts';
import type { Place, SearchEntry } from './search-entries.ts';

/** Where the records of a list are opened. */
interface RecordPage<C extends CollectionName> {
  readonly collection: C;
  /** The page, whose icon they get. */
  readonly page: Entry['to'];
  readonly place: (record: RecordOf<C>) => Place;
  /** Where the list itself is shown, if it has no page in the navigation. */
  readonly list?: Place;
  /** Their name in the search; null leaves one out. */
  readonly label?: (record: RecordOf<C>) => string | null;
  /** The kind of a record, where its list does not name it. */
  readonly kind?: (record: RecordOf<C>) => string | undefined;
  readonly detail?: (record: RecordOf<C>) => string;
}

const things = <C extends CollectionName>(collection: C): RecordPage<C> => ({
  collection,
  page: '/things',
  place: ({ id }) => ({ to: '/things/$kind', params: { kind: collection }, search: { id } }),
  list: { to: '/things/$kind', params: { kind: collection } },
});

/** Returns the name of the record with this id; null if it was not loaded, or was deleted. */
function knownName(collection: CollectionName, id: number): string | null {
  const records = queryClient.getQueryData<readonly { readonly id: number }[]>(listQuery(collection).queryKey);
  const record = records?.find((each) => each.id === id);
  return record ? nameOf(record) : null;
}

const recordPage = <C extends CollectionName>(page: RecordPage<C>) => ({
  collection: page.collection,
  /** Returns the entries of the list for the search: the list itself, if it has a place of its own, and its records. */
  entriesOf(records: readonly RecordOf<C>[]): readonly SearchEntry[] {
    const shown = navigation().find(({ to }) => to === page.page);
    if (!shown) return [];
    const { icon, label: kind } = shown;
    const list = page.list
      ? [{ id: page.collection, label: listTitle(page.collection), kind, icon, target: page.list }]
      : [];
    const found = records.flatMap((record) => {
      const label = (page.label ?? nameOf)(record);
      if (label === null) return [];
      return {
        id: `${page.collection}/${record.id}`,
        label,
        kind: page.kind?.(record) ?? listTitle(page.collection, 'one'),
        detail: page.detail?.(record),
        icon,
        target: page.place(record),
      };
    });
    return [...list, ...found];
  },
});

/** THE list of records that the search finds by name, with their pages. */
export const recordPages = [
  recordPage({
    collection: 'points',
    page: '/map',
    kind: ({ pointer_type }) => choiceLabel('pointer_type', pointer_type),
    place: ({ id }) => ({ to: '/map', search: { point: id } }),
    list: { to: '/places' },
    detail: ({ x, y }) => `(${Math.round(x)}, ${Math.round(y)})`,
  }),
  recordPage({
    collection: 'sequences',
    page: '/programs',
    place: ({ id }) => ({ to: '/programs/$id', params: { id: String(id) } }),
  }),
  recordPage({
    collection: 'regimens',
    page: '/regimens',
    place: ({ id }) => ({ to: '/regimens', search: { id } }),
  }),
  recordPage({
    collection: 'farm_events',
    page: '/schedule',
    place: ({ id }) => ({ to: '/schedule', search: { event: id } }),
    label: ({ executable_type, executable_id }) =>
      knownName(executable_type === 'Regimen' ? 'regimens' : 'sequences', executable_id),
  }),
  recordPage(things('tools')),
  recordPage(things('peripherals')),
  recordPage(things('sensors')),
  recordPage(things('pin_bindings')),
  recordPage(things('point_groups')),
  recordPage(things('curves')),
  recordPage(things('saved_gardens')),
  recordPage(things('webcam_feeds')),
  recordPage(things('farmware_installations')),
  recordPage(things('farmware_envs')),
] as const;
