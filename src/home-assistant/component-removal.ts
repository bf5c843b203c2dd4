import { isObject } from '../core/json.ts';
import type { Discovery } from './discovery.ts';

/** Platforms (`switch`) of components by their keys. */
export type Platforms = Readonly<Record<string, string>>;

export const platformsOf = ({ components }: Discovery): Platforms =>
  Object.fromEntries(Object.entries(components).map(([key, { platform }]) => [key, platform]));

/** Parses the platforms in a discovery that the broker retains; none if it is invalid. */
export function parsePlatforms(payload: string): Platforms {
  let discovery: unknown;
  try {
    discovery = JSON.parse(payload);
  } catch {
    return {};
  }
  if (!isObject(discovery) || !isObject(discovery.components)) return {};
  return Object.fromEntries(
    Object.entries(discovery.components).flatMap(([key, component]) =>
      isObject(component) && typeof component.platform === 'string' && /^\w+$/.test(key)
        ? [[key, component.platform]]
        : [],
    ),
  );
}

/**
 * Returns the discovery to publish before one without components of earlier ones, or null if there are none such: Home
 * Assistant removes a component if nothing but its platform is left of it, not if it is missing.
 */
export function removalFrom(discovery: Discovery, before: Platforms): object | null {
  const removed = Object.entries(before).filter(([key]) => !Object.hasOwn(discovery.components, key));
  if (removed.length === 0) return null;
  const left = Object.fromEntries(removed.map(([key, platform]) => [key, { platform }]));
  return { ...discovery, components: { ...discovery.components, ...left } };
}
