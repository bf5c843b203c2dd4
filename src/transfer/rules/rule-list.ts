import { fbosConfig } from '../../device/fbos-config.ts';
import { firmwareConfig } from '../../device/firmware-config.ts';
import { webAppConfig } from '../../device/web-app-config.ts';
import type { AnyResource } from '../../engine/resource.ts';
import type { JsonVariant } from '../../engine/serializer.ts';
import { jsonVariantExpressions } from '../../engine/serializer.ts';
import { curves } from '../../garden/curves.ts';
import { farmwareEnvs } from '../../garden/farmware-envs.ts';
import { enqueueManifestFetch, farmwareInstallations } from '../../garden/farmware-installations.ts';
import { pinBindings } from '../../garden/pin-bindings.ts';
import { plantTemplates } from '../../garden/plant-templates.ts';
import { savedGardens } from '../../garden/saved-gardens.ts';
import { webcamFeeds } from '../../garden/webcam-feeds.ts';
import type { TransferRules } from '../transfer-rules.ts';
import { farmEventRules } from './farm-events.ts';
import { folderRules } from './folders.ts';
import { historyRules } from './histories.ts';
import { imageRules } from './images.ts';
import { pointGroupRules } from './point-groups.ts';
import { pointRules } from './points.ts';
import { regimenRules } from './regimens.ts';
import { sequenceRules } from './sequences.ts';

/** A resource that is only special in the JSON of its exported records. */
const exported = (resource: AnyResource, variant: Omit<JsonVariant, 'key'>): TransferRules => ({
  resource,
  json: jsonVariantExpressions(resource, { key: 'export', ...variant }),
});

const ownedFirst = { first: ['id', 'device_id'] };

/** The rules of every resource that is a special case in exports or imports. */
const ruleList: readonly TransferRules[] = [
  farmEventRules,
  folderRules,
  ...historyRules,
  imageRules,
  pointGroupRules,
  pointRules,
  regimenRules,
  sequenceRules,
  { resource: curves, isOptional: true },
  exported(farmwareEnvs, { first: ['id', 'device_id', 'key', 'value'] }),
  // Responses always show true.
  exported(fbosConfig, { ...ownedFirst, stored: ['disable_factory_reset'] }),
  exported(firmwareConfig, ownedFirst),
  // A binding without a sequence and a special action would do nothing.
  { resource: pinBindings, requiresReferences: ({ special_action }) => (special_action ?? null) === null },
  exported(plantTemplates, {
    first: ['id', 'saved_garden_id', 'device_id', 'radius', 'x', 'y', 'z', 'name', 'openfarm_slug'],
  }),
  exported(savedGardens, { first: ['id', 'name', 'device_id'] }),
  exported(webAppConfig, ownedFirst),
  { resource: webcamFeeds, nullValues: { name: () => 'Webcam Feed' } },
  {
    resource: farmwareInstallations,
    async afterInsert(entries, { scope, queue, storedId }) {
      for (const entry of entries)
        if ((entry.values.package ?? entry.values.package_error ?? null) === null)
          await enqueueManifestFetch(scope, queue, storedId(farmwareInstallations.name, entry));
    },
  },
];

const rulesByTable = new Map(ruleList.map((rules) => [rules.resource.name, rules]));

/** Returns the differences of the export and import of a resource from its declaration. */
export const rulesOf = (resource: AnyResource): TransferRules => rulesByTable.get(resource.name) ?? { resource };
