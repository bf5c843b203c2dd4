import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { whenPageShown } from './page-shown.ts';

/** A component for what is opened later: its files are loaded when the first page is shown, or when it is rendered before. It suspends until they are there. */
export function later<P>(load: () => Promise<ComponentType<P>>): LazyExoticComponent<ComponentType<P>> {
  // What cannot be loaded is said where it is rendered.
  whenPageShown.then(load).catch(() => undefined);
  return lazy(async () => ({ default: await load() }));
}
