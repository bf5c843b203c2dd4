import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { ageInDays } from '../../../src/core/growth.ts';
import { type RecordOf, useRecords } from '../data/collections.ts';
import { cropName, useCrops } from '../data/crops.ts';
import { type PointKind, pointKinds } from '../data/point-kinds.ts';
import { nameOf } from '../data/schema-fields.tsx';
import { useMayWrite } from '../data/singles.ts';
import { actionClass } from '../ui/button.tsx';
import { TextField } from '../ui/fields.tsx';
import { Plus } from '../ui/icons.tsx';
import { getLanguage } from '../ui/language.ts';
import { plain } from '../ui/letters.ts';
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
  const age = ageInDays(point.pointer_type === 'Plant' ? point.planted_at : point.created_at, now);
  return age === null ? null : Math.max(0, age);
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
  const navigate = useNavigate({ from: '/places' });
  const mayWrite = useMayWrite();
  const sortOf = useSorts();
  const points = useRecords('points');
  const now = Date.now();
  const ofKind = points.filter(({ pointer_type }) => pointer_type === kind);
  const needle = plain(find);
  const shown = ofKind
    .map((point) => ({ point, name: nameOf(point), sort: sortOf(point), age: ageOf(point, now) }))
    .filter(({ name, sort }) => plain(`${name} ${sort}`).includes(needle))
    .toSorted((one, other) => one.name.localeCompare(other.name, getLanguage(), { numeric: true }));
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
          <TextField
            label={text.find}
            type="search"
            value={find}
            onChange={(next) =>
              void navigate({ search: (before) => ({ ...before, find: next || undefined }), replace: true })
            }
          />
          {shown.length === 0 ? <p role="status">{text.noMatch}</p> : null}
          {shown.length > 0 ? <PlaceTable kind={kind} rows={shown} /> : null}
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
  const { places } = thingsText();
  const hasSort = kind === 'Plant' || kind === 'ToolSlot';
  return (
    <div className={styles.places}>
      <table>
        <caption>{places.count(rows.length)}</caption>
        <thead>
          <tr>
            <th scope="col">{places.name}</th>
            {hasSort ? <th scope="col">{kind === 'Plant' ? places.crop : places.tool}</th> : null}
            <th scope="col">{places.place}</th>
            <th scope="col">{places.age}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ point, point: { id, x, y, z }, name, sort, age }) => (
            <tr key={id}>
              <th scope="row">
                <Link to="/map" search={{ point: id }}>
                  {name}
                </Link>
              </th>
              {hasSort ? <td>{sort}</td> : null}
              <td className={styles.coordinates}>{[x, y, z].join(', ')}</td>
              <td>{age === null ? (isPlanned(point) ? places.notPlanted : '–') : places.days(age)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
