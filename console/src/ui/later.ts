import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { whenPageShown } from './page-shown.ts';

/** A lazy component: its files are loaded when the first page is shown, or when it is rendered before. It suspends until they are there. */
export function later<P>(load: () => Promise<ComponentType<P>>): LazyExoticComponent<ComponentType<P>> {
  // A failure to load is reported where the component is rendered.
  whenPageShown.then(load).catch(() => undefined);
  return lazy(async () => ({ default: await load() }));
}
