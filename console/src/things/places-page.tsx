import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { ageInDays } from '../../../src/core/growth.ts';
import { type RecordOf, useRecords } from '../data/collections.ts';
import { cropName, useCrops } from '../data/crops.ts';
import { DeleteButton } from '../data/delete-button.tsx';
import { textOfIds } from '../data/point-ids.ts';
import { type PointKind, pointKinds } from '../data/point-kinds.ts';
import { nameOf } from '../data/schema-fields.tsx';
import { useMayWrite } from '../data/singles.ts';
import { dataText } from '../data/text.ts';
import { actionClass, linkClass } from '../ui/button.tsx';
import { FindField } from '../ui/find-field.tsx';
import { Plus } from '../ui/icons.tsx';
import { plain } from '../ui/letters.ts';
import { type Column, Listing } from '../ui/listing.tsx';
import { EmptyState, Page } from '../ui/page.tsx';
import { PartTabs } from '../ui/tabs.tsx';
import { thingsText } from './text.ts';
import styles from './things.module.css';

const placesRoute = getRouteApi('/garden/places');

type Point = RecordOf<'points'>;

/** The panels of the map that add each kind. */
const addingPanels = { Plant: 'plant', Weed: 'weed', GenericPointer: 'point', ToolSlot: 'slot' } as const;

/** Days since a plant was planted, or another thing was made; null: that is not known, or it is not planted yet. */
const ageOf = (point: Point, now: number): number | null => {
  const since = point.pointer_type === 'Plant' ? point.planted_at : point.created_at;
  const age = ageInDays(since, now);
  return age === null || (isPlanned(point) && Date.parse(since ?? '') > now) ? null : Math.max(0, age);
};

/** Whether a plant is to be planted. */
const isPlanned = (point: Point): boolean => point.pointer_type === 'Plant' && point.plant_stage === 'planned';

/** The detail beside a name: the crop of a plant, the tool of a slot. */
function useSorts(): (point: Point) => string {
  const crops = useCrops();
  const tools = useRecords('tools');
  return (point) => {
    if (point.pointer_type === 'Plant') {
      const crop = crops.get(point.openfarm_slug ?? '');
      return crop ? cropName(crop) : (point.openfarm_slug ?? '');
    }
    if (point.pointer_type !== 'ToolSlot') return '';
    return tools.find(({ id }) => id === point.tool_id)?.name ?? '';
  };
}

/** The points of the bed by kind as a table; each leads to its place on the map, where it is changed. */
export function PlacesPage() {
  const text = thingsText();
  const { kind = 'Plant', find = '' } = placesRoute.useSearch();
  const mayWrite = useMayWrite();
  const sortOf = useSorts();
  const points = useRecords('points');
  const now = Date.now();
  const ofKind = points.filter(({ pointer_type }) => pointer_type === kind);
  const needle = plain(find);
  const shown = ofKind
    .map((point) => ({ point, name: nameOf(point), sort: sortOf(point), age: ageOf(point, now) }))
    .filter(({ name, sort }) => plain(`${name} ${sort}`).includes(needle));
  const add = mayWrite ? (
    <Link to="/map" search={{ panel: addingPanels[kind] }} className={actionClass}>
      <Plus aria-hidden="true" />
      {text.places.add[kind]}
    </Link>
  ) : null;
  return (
    <Page
      title={text.places.title}
      actions={ofKind.length > 0 ? add : null}
      bar={
        <PartTabs label={text.places.title} parts={pointKinds} open={kind}>
          {(each, tab) => (
            <Link {...tab} to="/places" search={{ kind: each }}>
              {text.places.kinds[each]}
            </Link>
          )}
        </PartTabs>
      }
    >
      {ofKind.length === 0 ? (
        <EmptyState title={text.nothing} action={add}>
          {text.places.about}
        </EmptyState>
      ) : (
        <div className={styles.stack}>
          <FindField label={text.find} />
          {shown.length === 0 ? <p role="status">{text.noMatch}</p> : null}
          {shown.length > 0 ? <PlaceTable key={kind} kind={kind} rows={shown} /> : null}
        </div>
      )}
    </Page>
  );
}

interface PlaceRow {
  readonly point: Point;
  readonly name: string;
  readonly sort: string;
  readonly age: number | null;
}

function PlaceTable({ kind, rows }: { readonly kind: PointKind; readonly rows: readonly PlaceRow[] }) {
  const { places, group } = thingsText();
  const { sort } = placesRoute.useSearch();
  const navigate = useNavigate({ from: '/places' });
  const mayWrite = useMayWrite();
  const name: Column<PlaceRow> = {
    id: 'name',
    label: places.name,
    value: (row) => row.name,
    cell: ({ point: { id }, name }) => (
      <Link to="/map" search={{ point: id }}>
        {name}
      </Link>
    ),
  };
  const columns: readonly Column<PlaceRow>[] = [
    ...(kind === 'Plant'
      ? [{ id: 'crop', label: places.crop, value: (row: PlaceRow) => row.sort, isSummed: true }]
      : kind === 'ToolSlot'
        ? [{ id: 'tool', label: places.tool, value: (row: PlaceRow) => row.sort }]
        : []),
    {
      id: 'place',
      label: places.place,
      value: ({ point: { x } }) => x,
      cell: ({ point: { x, y, z } }) => <span className={styles.coordinates}>{[x, y, z].join(', ')}</span>,
    },
    {
      id: 'age',
      label: places.age,
      value: ({ age }) => age,
      cell: ({ point, age }) => (age === null ? (isPlanned(point) ? places.notPlanted : '–') : places.days(age)),
    },
  ];
  return (
    <Listing
      label={places.kinds[kind]}
      count={dataText().entries(rows.length)}
      rows={rows}
      keyOf={({ point }) => point.id}
      nameOf={(row) => row.name}
      columns={[name, ...columns]}
      sort={sort}
      onSort={(next) => void navigate({ search: (before) => ({ ...before, sort: next }), replace: true })}
      actions={(chosen, clear) => (
        <>
          <Link to="/map" search={{ points: textOfIds(chosen.map(({ point }) => point.id)) }} className={linkClass}>
            {group.showOnMap}
          </Link>
          {mayWrite ? (
            <DeleteButton
              collection="points"
              records={chosen.map(({ point }) => point)}
              noun={places.kinds[kind]}
              onDone={clear}
            />
          ) : null}
        </>
      )}
    />
  );
}
