import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Store } from '../ui/store.ts';

const mapRoute = getRouteApi('/garden/map');

/** The time of the map. */
export interface MapTime {
  /** The shown time, in ms since the epoch: it changes with each movement of the slider, without a rendering. */
  readonly store: Store<number>;
  /** The time of the address, at which the slider rests, in ms; `now` follows the clock; undefined: the map is as it is, and can be changed. */
  readonly at: number | 'now' | undefined;
  /** Sets the time of the address. */
  set(at: MapTime['at']): void;
}

/** Returns the time of the map's address. */
export function useMapTime(): MapTime {
  const { at: text } = mapRoute.useSearch();
  const navigate = useNavigate();
  const at = text === undefined || text === 'now' ? text : Date.parse(text);
  const [store] = useState(() => new Store(typeof at === 'number' ? at : Date.now()));
  useEffect(() => store.set(typeof at === 'number' ? at : Date.now()), [store, at]);
  return {
    store,
    at,
    set(next) {
      const search = { at: typeof next === 'number' ? new Date(next).toISOString() : next };
      void navigate({ to: '/map', search, replace: at !== undefined && next !== undefined });
    },
  };
}
