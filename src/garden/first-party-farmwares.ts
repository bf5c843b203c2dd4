import { notFound } from '../core/errors.ts';
import { Type } from '../engine/json-schema.ts';
import { idSchema } from '../engine/kinds.ts';
import { parseId } from '../engine/resource-routes.ts';
import type { DeviceRoute } from '../engine/route.ts';

/** Fixed, and not ISO 8601. [rule G10, decision 56] */
const publishedAt = '2019-08-14 18:33:08.428306';
const host = 'https://raw.githubusercontent.com/FarmBot-Labs';

const packages: readonly (readonly [name: string, manifest: string])[] = [
  ['take-photo', 'farmware_manifests/main/packages/take-photo/manifest_v2.json'],
  ['camera-calibration', 'farmware_manifests/main/packages/camera-calibration/manifest_v2.json'],
  ['plant-detection', 'farmware_manifests/main/packages/plant-detection/manifest_v2.json'],
  ['historical-camera-calibration', 'farmware_manifests/main/packages/historical-camera-calibration/manifest_v2.json'],
  ['historical-plant-detection', 'farmware_manifests/main/packages/historical-plant-detection/manifest_v2.json'],
  ['Measure Soil Height', 'measure-soil-height/main/manifest.json'],
];

/** The programs that are installed on every robot. Listed in `device/sync`, too. [rule G10] */
export const firstPartyFarmwares = packages.map(([name, manifest], index) => ({
  id: index + 1,
  created_at: publishedAt,
  updated_at: publishedAt,
  url: `${host}/${manifest}`,
  package: name,
  package_error: null,
}));

const record = Type.Object(
  {
    id: idSchema,
    created_at: Type.Literal(publishedAt),
    updated_at: Type.Literal(publishedAt),
    url: Type.String(),
    package: Type.String(),
    package_error: Type.Null(),
  },
  {
    $id: 'FirstPartyFarmware',
    description: 'A program that is installed on every robot.',
    examples: firstPartyFarmwares.slice(0, 1),
  },
);

const path = '/api/first_party_farmwares';
const common = { access: 'token', tag: 'Farmware', method: 'GET' } as const;

export const firstPartyFarmwareRoutes: DeviceRoute[] = [
  {
    ...common,
    path,
    summary: 'List the first party farmwares',
    description: 'Returns the programs that are installed on every robot. They cannot be changed.',
    replies: { 200: Type.Array(record) },
    handle: () => firstPartyFarmwares,
  },
  {
    ...common,
    path: `${path}/:id`,
    summary: 'Show a first party farmware',
    description: 'Returns one of the programs that are installed on every robot.',
    replies: { 200: record },
    handle(_scope, call) {
      const found = firstPartyFarmwares[parseId(call.params.id, 'First party farmware') - 1];
      if (!found) throw notFound('First party farmware');
      return found;
    },
  },
];
