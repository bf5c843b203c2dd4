import { queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { WordedError } from '../ui/error-message.ts';
import { set24Hours } from '../ui/time-format.ts';
import { api, bodyOf } from './api.ts';
import { type Bed, bedOf } from './bed.ts';
import { type BedSize, bedSizeOf } from './bed-size.ts';
import type { FollowedSettings } from './followed-settings.ts';
import type { components } from './generated/api.ts';
import { queryClient } from './query-client.ts';
import { reread } from './reread.ts';
import { gardenId } from './session.ts';
import { SingleUpdates, singleKey } from './single-updates.ts';
import { dataText } from './text.ts';

/** Single records of a garden, with the resource that announces their changes. */
const device = queryOptions({ queryKey: singleKey('Device'), queryFn: () => bodyOf(api.GET('/api/device')) });
const osConfig = queryOptions({
  queryKey: singleKey('FbosConfig'),
  queryFn: () => bodyOf(api.GET('/api/fbos_config')),
});
const firmwareConfig = queryOptions({
  queryKey: singleKey('FirmwareConfig'),
  queryFn: () => bodyOf(api.GET('/api/firmware_config')),
});
const webAppConfig = queryOptions({
  queryKey: singleKey('WebAppConfig'),
  queryFn: (): Promise<FollowedSettings> => bodyOf(api.GET('/api/web_app_config')),
});
set24Hours(() => queryClient.getQueryData(webAppConfig.queryKey)?.time_format_24_hour === true);

/** Interval between reads of the user's role, in ms: its changes are not announced. */
const roleInterval = 60_000;
const gardens = queryOptions({
  queryKey: ['gardens'],
  queryFn: () => bodyOf(api.GET('/api/gardens')),
  refetchInterval: roleInterval,
});

/** The rights of the session: whether it is an administrator's is read once. */
const rights = queryOptions({ queryKey: ['rights'], queryFn: () => bodyOf(api.GET('/api/rights')) });

/** Whether the user may administer the server; false until that was read. */
export const useIsAdministrator = (): boolean => useQuery(rights).data?.administrator === true;

/** The queries of single records, to read or invalidate them elsewhere. */
export const singleQueries = { device, osConfig, firmwareConfig, webAppConfig, gardens } as const;

export const useDevice = () => useSuspenseQuery(device).data;
export const useOsConfig = () => useSuspenseQuery(osConfig).data;
export const useFirmwareConfig = () => useSuspenseQuery(firmwareConfig).data;
export const useWebAppConfig = () => useSuspenseQuery(webAppConfig).data;

export type Garden = components['schemas']['Garden'];

/** Returns the gardens of the user. Suspends. */
export const useGardens = (): readonly Garden[] => useSuspenseQuery(gardens).data;

/** Returns the garden of this session, of the user's gardens. */
export function ownGarden(all: readonly Garden[]): Garden | undefined {
  const id = gardenId();
  return all.find((each) => each.id === id);
}

/** Returns the garden of this session. Suspends. Throws when the user has left it. */
export function useGarden(): Garden {
  const garden = ownGarden(useGardens());
  if (!garden) throw new WordedError(dataText().notMember);
  return garden;
}

/** Whether the user may change the garden's records. Suspends. */
export const useMayWrite = (): boolean => useGarden().role !== 'viewer';

const updates = new SingleUpdates(queryClient);

/** Changes a single record; see {@link SingleUpdates}. */
export const updateSingle = updates.update;

/** Reads a single record again that has changed. Gardens have the names of their devices. */
export function rereadSingle(resource: string): void {
  updates.reread(resource);
  if (resource === 'Device') reread(queryClient, gardens.queryKey);
}

/** Returns the size of the bed by the settings of the map. Suspends. */
export function useBedSize(): BedSize {
  const config = useWebAppConfig();
  const { data: axes } = useQuery({ ...singleQueries.firmwareConfig, enabled: config.dynamic_map });
  return bedSizeOf(config, axes);
}

/** Returns the bed by the settings of the map. Suspends. */
export function useBed(): Bed {
  const { bot_origin_quadrant, xy_swap } = useWebAppConfig();
  const { map_size_x, map_size_y } = useBedSize();
  return useMemo(
    () => bedOf({ map_size_x, map_size_y, bot_origin_quadrant, xy_swap }),
    [map_size_x, map_size_y, bot_origin_quadrant, xy_swap],
  );
}
