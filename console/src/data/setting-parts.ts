import { queryOptions } from '@tanstack/react-query';
import { send } from './api.ts';
import { followedSettings } from './followed-settings.ts';
import { queryClient } from './query-client.ts';
import type { Values } from './schema-fields.tsx';
import type { SchemaName } from './schemas.ts';
import { singleQueries, updateSingle } from './singles.ts';

/** Settings that are one record of the API. */
export interface Part {
  readonly query: (typeof singleQueries)['device' | 'osConfig' | 'firmwareConfig' | 'webAppConfig'];
  readonly path: string;
  readonly update: SchemaName;
  readonly isInHistory: boolean;
  /** The settings of another client that the console follows, too; undefined: no client has them. */
  readonly followed?: readonly string[];
}

/** THE list of the groups of settings. */
export const parts = {
  garden: { query: singleQueries.device, path: '/api/device', update: 'DeviceUpdate', isInHistory: true },
  os: { query: singleQueries.osConfig, path: '/api/fbos_config', update: 'FbosConfigUpdate', isInHistory: true },
  firmware: {
    query: singleQueries.firmwareConfig,
    path: '/api/firmware_config',
    update: 'FirmwareConfigUpdate',
    isInHistory: true,
  },
  map: {
    query: singleQueries.webAppConfig,
    path: '/api/web_app_config',
    update: 'WebAppConfigUpdate',
    isInHistory: false,
    followed: followedSettings,
  },
} as const satisfies Record<string, Part>;

export type PartName = keyof typeof parts;
export const partNames = Object.keys(parts) as readonly PartName[];

/** The query of a part's record, for code that treats all fields alike. */
export const valuesQuery = (name: PartName) =>
  queryOptions({ queryKey: [...parts[name].query.queryKey], queryFn: () => send<Values>('GET', parts[name].path) });

/** Changes fields of a part, and shows them immediately. Throws an ApiError. */
export function changeFields(name: PartName, update: Values, label?: string): Promise<void> {
  const { query, path } = parts[name];
  return updateSingle<Values>(query, update, async () => ({ data: await send('PATCH', path, update, label) }));
}

/** Returns a function that undoes the next change of these fields, for parts that are not in the history. */
export function wayBack(name: PartName, update: Values): (() => Promise<void>) | undefined {
  const now = queryClient.getQueryData(valuesQuery(name).queryKey);
  if (parts[name].isInHistory || !now) return undefined;
  const before = Object.fromEntries(Object.keys(update).map((field) => [field, now[field]]));
  return () => changeFields(name, before);
}
