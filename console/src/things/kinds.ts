import type { CollectionName } from '../data/collections.ts';
import type { FollowedSettings } from '../data/followed-settings.ts';
import type { SchemaName } from '../data/schemas.ts';
import {
  Activity,
  Bookmark,
  Cable,
  ChartSpline,
  type Icon,
  Package,
  Shapes,
  SlidersHorizontal,
  ToggleRight,
  Video,
  Wrench,
} from '../ui/icons.tsx';

/** A kind of thing of a garden that people list, make, change and delete. */
export interface Kind {
  readonly collection: CollectionName;
  readonly icon: Icon;
  /** The schema of the body that creates one. */
  readonly input: SchemaName;
  /** The schema of its changes; null: it is deleted and made again. */
  readonly update: SchemaName | null;
  /** The setting that leaves it out of the page. */
  readonly hiddenBy?: keyof FollowedSettings;
}

/** THE list of the kinds, in the order of the page. */
export const kinds = [
  { collection: 'tools', icon: Wrench, input: 'ToolInput', update: 'ToolUpdate' },
  {
    collection: 'peripherals',
    icon: ToggleRight,
    input: 'PeripheralInput',
    update: 'PeripheralUpdate',
  },
  {
    collection: 'sensors',
    icon: Activity,
    input: 'SensorInput',
    update: 'SensorUpdate',
    hiddenBy: 'hide_sensors',
  },
  {
    collection: 'pin_bindings',
    icon: Cable,
    input: 'PinBindingInput',
    update: 'PinBindingUpdate',
  },
  {
    collection: 'point_groups',
    icon: Shapes,
    input: 'PointGroupInput',
    update: 'PointGroupUpdate',
  },
  { collection: 'curves', icon: ChartSpline, input: 'CurveInput', update: 'CurveUpdate' },
  {
    collection: 'saved_gardens',
    icon: Bookmark,
    input: 'SavedGardenInput',
    update: 'SavedGardenUpdate',
  },
  {
    collection: 'webcam_feeds',
    icon: Video,
    input: 'WebcamFeedInput',
    update: 'WebcamFeedUpdate',
    hiddenBy: 'hide_webcam_widget',
  },
  {
    collection: 'farmware_installations',
    icon: Package,
    input: 'FarmwareInstallationInput',
    update: null,
  },
  {
    collection: 'farmware_envs',
    icon: SlidersHorizontal,
    input: 'FarmwareEnvInput',
    update: 'FarmwareEnvUpdate',
  },
] as const satisfies readonly Kind[];
