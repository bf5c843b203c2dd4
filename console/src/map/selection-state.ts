import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useMemo, useRef } from 'react';
import { savedId } from '../data/changes.ts';
import { idsOf, textOfIds } from '../data/point-ids.ts';

const mapRoute = getRouteApi('/garden/map');

/** The content of the panel besides the selection. */
export type Panel = NonNullable<ReturnType<typeof mapRoute.useSearch>['panel']>;

const placeOf = (text: string | undefined): readonly [number, number] | null => {
  const [, x, y] = /^(-?\d{1,6}),(-?\d{1,6})$/.exec(text ?? '') ?? [];
  return x === undefined || y === undefined ? null : [Number(x), Number(y)];
};

/** The selection of the map, as part of the address. */
export type Selection = ReturnType<typeof useSelection>;

/** Returns the selection of the map's address. `onFound`: another page, the search or the browser's history selected a point. */
export function useSelection(onFound: (id: number) => void) {
  const { point: named, points, place, panel, crop, at } = mapRoute.useSearch();
  const navigate = useNavigate();
  const point = named === undefined ? undefined : savedId(named);
  /** The point that was selected on the map itself. */
  const own = useRef<number>(undefined);
  const found = useEffectEvent(onFound);
  useEffect(() => {
    if (point !== undefined && (own.current === undefined || point !== savedId(own.current))) found(point);
    own.current = point;
  }, [point]);
  useEffect(() => {
    if (point !== named) void navigate({ to: '/map', search: (all) => ({ ...all, point }), replace: true });
  }, [point, named, navigate]);
  const ids: ReadonlySet<number> = useMemo(
    () => new Set(point === undefined ? idsOf(points) : [point]),
    [point, points],
  );
  /** Selects these points and nothing else. */
  const select = (next: Iterable<number>): void => {
    const all = [...next];
    const search = all.length === 1 ? { point: all[0] } : { points: textOfIds(all) };
    own.current = search.point;
    void navigate({ to: '/map', search });
  };
  return {
    ids,
    /** A place without a point, in mm. */
    place: useMemo(() => placeOf(place), [place]),
    panel,
    /** The slug of the crop that is added. */
    crop,
    select,
    /** Selects one point, or with `isAdded` adds or removes it. */
    choose(id: number, isAdded: boolean): void {
      if (!isAdded) select([id]);
      else select(ids.has(id) ? [...ids].filter((each) => each !== id) : [...ids, id]);
    },
    selectPlace: (x: number, y: number): void =>
      void navigate({ to: '/map', search: { place: `${Math.round(x)},${Math.round(y)}` } }),
    /** Opens a panel, or with undefined closes it; the selection stays. */
    open: (next: Panel | undefined, slug?: string): void =>
      void navigate({ to: '/map', search: { point, points, place, panel: next, crop: slug, at } }),
  };
}
