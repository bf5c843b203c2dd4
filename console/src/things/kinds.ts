import {
  Activity,
  Bookmark,
  Cable,
  ChartSpline,
  type LucideIcon,
  Package,
  Shapes,
  SlidersHorizontal,
  ToggleRight,
  Video,
  Wrench,
} from 'lucide-react';
import type { CollectionName } from '../data/collections.ts';
import type { SchemaName } from '../data/schemas.ts';
import type { ThingsText } from './text.ts';

/** A kind of thing of a garden that people list, make, change and delete. */
export interface Kind {
  readonly collection: CollectionName;
  readonly icon: LucideIcon;
  /** The schema of what one is made with. */
  readonly input: SchemaName;
  /** The schema of its changes; null: it is deleted and made again. */
  readonly update: SchemaName | null;
  readonly text: keyof ThingsText['kinds'];
}

/** THE list of the kinds, in the order of the page. */
export const kinds = [
  { collection: 'tools', icon: Wrench, input: 'ToolInput', update: 'ToolUpdate', text: 'tools' },
  {
    collection: 'peripherals',
    icon: ToggleRight,
    input: 'PeripheralInput',
    update: 'PeripheralUpdate',
    text: 'peripherals',
  },
  { collection: 'sensors', icon: Activity, input: 'SensorInput', update: 'SensorUpdate', text: 'sensors' },
  {
    collection: 'pin_bindings',
    icon: Cable,
    input: 'PinBindingInput',
    update: 'PinBindingUpdate',
    text: 'pin_bindings',
  },
  {
    collection: 'point_groups',
    icon: Shapes,
    input: 'PointGroupInput',
    update: 'PointGroupUpdate',
    text: 'point_groups',
  },
  { collection: 'curves', icon: ChartSpline, input: 'CurveInput', update: 'CurveUpdate', text: 'curves' },
  {
    collection: 'saved_gardens',
    icon: Bookmark,
    input: 'SavedGardenInput',
    update: 'SavedGardenUpdate',
    text: 'saved_gardens',
  },
  {
    collection: 'webcam_feeds',
    icon: Video,
    input: 'WebcamFeedInput',
    update: 'WebcamFeedUpdate',
    text: 'webcam_feeds',
  },
  {
    collection: 'farmware_installations',
    icon: Package,
    input: 'FarmwareInstallationInput',
    update: null,
    text: 'farmware_installations',
  },
  {
    collection: 'farmware_envs',
    icon: SlidersHorizontal,
    input: 'FarmwareEnvInput',
    update: 'FarmwareEnvUpdate',
    text: 'farmware_envs',
  },
] as const satisfies readonly Kind[];
