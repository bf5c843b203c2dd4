import { queryOptions } from '@tanstack/react-query';
import { send } from '../data/api.ts';
import { followedSettings } from '../data/followed-settings.ts';
import type { Values } from '../data/schema-fields.tsx';
import type { SchemaName } from '../data/schemas.ts';
import { singleQueries } from '../data/singles.ts';

/** Settings that are one record of the API. */
export interface Part {
  readonly query: (typeof singleQueries)['device' | 'osConfig' | 'firmwareConfig' | 'webAppConfig'];
  readonly path: string;
  readonly update: SchemaName;
  /** Its name in history. */
  readonly resource: string;
  /** Those of another client that the console follows, too; undefined: the settings are of no client. */
  readonly followed?: readonly string[];
}

/** THE list of the groups of settings. */
export const parts = {
  garden: { query: singleQueries.device, path: '/api/device', update: 'DeviceUpdate', resource: 'Device' },
  os: { query: singleQueries.osConfig, path: '/api/fbos_config', update: 'FbosConfigUpdate', resource: 'FbosConfig' },
  firmware: {
    query: singleQueries.firmwareConfig,
    path: '/api/firmware_config',
    update: 'FirmwareConfigUpdate',
    resource: 'FirmwareConfig',
  },
  map: {
    query: singleQueries.webAppConfig,
    path: '/api/web_app_config',
    update: 'WebAppConfigUpdate',
    resource: 'WebAppConfig',
    followed: followedSettings,
  },
} as const satisfies Record<string, Part>;

export type PartName = keyof typeof parts;
export const partNames = Object.keys(parts) as readonly PartName[];

/** The query of a part's record, for code that treats all fields alike. */
export const valuesQuery = (name: PartName) =>
  queryOptions({ queryKey: [...parts[name].query.queryKey], queryFn: () => send<Values>('GET', parts[name].path) });
