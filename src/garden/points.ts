import { currentTimestamp } from '../core/clock.ts';
import type { FieldFailures } from '../core/errors.ts';
import { refused } from '../core/errors.ts';
import { labels } from '../core/field-labels.ts';
import type { DeviceScope, Where } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import { labelOf } from '../engine/field-label.ts';
import type { Field } from '../engine/fields.ts';
import { bigint, boolean, custom, float, integer, oneOf, text, time } from '../engine/fields.ts';
import { Type, titled } from '../engine/json-schema.ts';
import type { Kind } from '../engine/kinds.ts';
import { modelProblem } from '../engine/kinds.ts';
import { resource } from '../engine/resource.ts';
import { describeOwners, findUses } from '../programs/program-references.ts';
import { say } from './messages.ts';
import { plantingFields } from './planting-fields.ts';
import type { StringMap } from './string-map.ts';
import { sizeProblem, stringMapKind } from './string-map.ts';

/** The kinds of points, which share a table and a sequence of ids. */
export const pointerTypes = ['GenericPointer', 'Plant', 'ToolSlot', 'Weed'] as const;
export type PointerType = (typeof pointerTypes)[number];

export const plantStages = ['planned', 'planted', 'harvested', 'sprouted', 'active', 'removed', 'pending'] as const;

/** The stages after planting in which a plant grows. */
const growingStages: readonly string[] = ['sprouted', 'active'] satisfies (typeof plantStages)[number][];

/** Coordinates are less than this, in mm. [rule G21] */
export const coordinateLimit = 50_000;

/** Shown as it is stored, not rounded. [decision 12] */
const coordinate = (): Field<number> =>
  float().check(
    (value, name) => (value >= coordinateLimit ? modelProblem(name, say.coordinate, coordinateLimit) : null),
    { exclusiveMaximum: coordinateLimit },
  );

/** The keys of `meta` that clients have in common; there may be others. */
const metaKeys = {
  color: labels.color,
  created_by: { en: 'Made by', fr: 'Créé par' },
  at_soil_level: { en: 'At soil level', fr: 'Au niveau du sol' },
};

const metaKind: Kind<StringMap> = {
  ...stringMapKind,
  output: {
    ...stringMapKind.output,
    properties: Object.fromEntries(Object.entries(metaKeys).map(([key, label]) => [key, Type.String(titled(label))])),
  },
};

/** Points that a garden may have, however they come in; requests stop at 1,000 of them, or at the limit of the device. */
export const maxStoredPoints = 5000;

/** Whether an update plants a plant whose date of planting is missing, or of an earlier planting, and names no date. [rule G38, decision 68] */
function isPlanting(
  before: { readonly pointer_type: string; readonly plant_stage: string; readonly planted_at: string | null },
  input: { readonly plant_stage?: string; readonly planted_at?: string | null },
  body: Readonly<Record<string, unknown>>,
  { clock, isOfRobot }: Pick<DeviceScope, 'clock' | 'isOfRobot'>,
): boolean {
  const { pointer_type, plant_stage, planted_at } = before;
  if (pointer_type !== 'Plant' || input.plant_stage !== 'planted' || plant_stage === 'planted') return false;
  const isEarlier =
    planted_at === null || (!growingStages.includes(plant_stage) && Date.parse(planted_at) <= clock.now());
  // Robots send whole records: an unchanged date is not meant.
  const isWhole = isOfRobot && body.updated_at !== undefined && input.planted_at === planted_at;
  return isEarlier && (isWhole || body.planted_at === undefined);
}

/** The parts of the robot that carry a slot: none, or the one that moves along x, y or z. [rule G37] */
export const mountStages = [0, 1, 2, 3] as const;

const mountOffset = (axis: string) =>
  float()
    .default(0)
    .onlyFor('ToolSlot')
    .label(`Mount ${axis}`, `Support ${axis}`)
    .describe(
      'From the robot to the slot, where the slot moves with it.',
      'Du robot à l’emplacement, là où l’emplacement se déplace avec lui.',
    )
    .unit('mm')
    .addition();

/** Everything on the map of the garden. All fields may be sent for every kind of point, and are shown for the kinds they belong to. */
export const points = resource('points', {
  tag: 'Garden',
  max: maxStoredPoints,
  maxNote:
    'New ones are refused when there are 1000, or as many as an administrator allows, except by applying a saved garden.',
  maxKey: 'point_limit',
  example: { pointer_type: 'Plant', name: 'Tomato', x: 500, y: 300, z: 0, openfarm_slug: 'tomato' },
  paginated: true,
  filters: ['pointer_type'],
  description: 'A plant, weed, tool slot or other place on the map of the garden. Coordinates and lengths are in mm.',
  changeLogName: 'Point',
  // Of archived ones.
  hasUnloggedChanges: true,
  routes: ['show'],
  sync: 'listed',
  // Robots keep the points that are listed there: an archived plant would reappear.
  syncWhere: { discarded_at: null },
  showsDevice: true,
  discriminator: 'pointer_type',
  earlierValues: ({ gantry_mounted }) => ({ mount_stage: gantry_mounted === true ? 1 : 0 }),
  fields: {
    name: text().default('untitled').label(labels.name),
    pointer_type: oneOf(...pointerTypes)
      .required()
      .onCreateOnly()
      .label(labels.kind),
    meta: custom<StringMap>(metaKind)
      .default({})
      .notNull()
      .describe('Strings by key; an update merges into them.')
      .label(labels.details),
    x: coordinate().required().label(labels.x).unit('mm'),
    y: coordinate().required().label(labels.y).unit('mm'),
    // [decision 56]
    z: coordinate().default(0).notNull('on create').label(labels.z).unit('mm'),
    radius: float().default(25).onlyFor('GenericPointer', 'Plant', 'Weed').label(labels.radius).unit('mm'),
    discarded_at: time()
      .nullByDefault()
      .readOnly()
      .onlyFor('GenericPointer', 'Weed')
      .describe('When it was archived.')
      .label('Removed on', 'Retiré le'),
    openfarm_slug: text()
      .max(280)
      .default('not-set')
      .onlyFor('Plant')
      .describe('The kind of plant.')
      .label(labels.crop),
    plant_stage: oneOf(...plantStages)
      .default('planned')
      .onlyFor('Plant', 'Weed')
      .describe('New weeds are `active`.')
      .label('Stage', 'Stade'),
    planted_at: plantingFields.planted_at.onlyFor('Plant'),
    depth: plantingFields.depth.onlyFor('Plant'),
    water_curve_id: plantingFields.water_curve_id.onlyFor('Plant'),
    spread_curve_id: plantingFields.spread_curve_id.onlyFor('Plant'),
    height_curve_id: plantingFields.height_curve_id.onlyFor('Plant'),
    tool_id: bigint()
      .nullable()
      .emptyAsNull()
      .references('tools', 'no action', { key: 'tool_id' })
      .onlyFor('ToolSlot')
      .describe('The tool in the slot. A tool is in at most one slot.')
      .label('Tool', 'Outil')
      .hint('A tool is in at most one slot.', 'Un outil est à un seul emplacement au plus.'),
    pullout_direction: integer()
      .range(0, 4)
      .default(0)
      .onlyFor('ToolSlot')
      .label('The tool is pulled out', 'L’outil se retire'),
    gantry_mounted: boolean().default(false).onlyFor('ToolSlot').label('On the gantry', 'Sur le portique'),
    mount_stage: oneOf(...mountStages)
      .default(0)
      .onlyFor('ToolSlot')
      .describe(
        'The part that carries the slot: 0 the bed, 1 the gantry (it moves in x), 2 the cross-slide (x, y), 3 the z-axis (x, y, z).',
      )
      .label('Carried by', 'Porté par')
      .addition(),
    mount_offset_x: mountOffset('x'),
    mount_offset_y: mountOffset('y'),
    mount_offset_z: mountOffset('z'),
  },
  // Archived slots and other kinds of points have no tool: each tool is in at most one slot.
  uniqueTogether: [['tool_id']],
  indexes: [['device_id', 'discarded_at'], ['water_curve_id'], ['spread_curve_id'], ['height_curve_id']],
  hooks: {
    async prepare(scope, input, before, body) {
      const failures: FieldFailures = {};
      if (!before && input.pointer_type === 'Weed' && (body.plant_stage ?? null) === null) input.plant_stage = 'active';
      if (!before && body.tool_id === '') failures.tool_id = say.noTool;
      const isSlot = (before ?? input).pointer_type === 'ToolSlot' && !before?.discarded_at;
      if (!isSlot) delete input.tool_id;
      if (before && isPlanting(before, input, body, scope)) input.planted_at = currentTimestamp(scope.clock);
      if (before && before.tool_id !== null && input.tool_id === null) {
        const uses = await findUses(scope, ['tool'], [before.tool_id], ['Sequence']);
        if (uses.length > 0) failures.in_use = say.toolInUse(describeOwners(uses));
      }
      if (before && input.meta) {
        input.meta = { ...before.meta, ...input.meta };
        const meta = sizeProblem(input.meta, labelOf('meta', labels.details));
        if (meta && Object.keys(failures).length === 0) throw refused(meta, { meta });
      }
      return failures;
    },
  },
});

export type Point = RowOf<typeof points>;

/** A condition for archived points, for points on the map, or none. */
export type ArchiveFilter = Pick<Where<Point>, 'discarded_at'>;

/** Selects the points on the map. */
export const notArchived = { discarded_at: null } as const satisfies ArchiveFilter;

/** The values of the query parameter `filter`; others count as `all`. */
export const archiveFilters = ['kept', 'old', 'all'] as const;

/** Parses the query parameter `filter`. [rule G23] */
export function parseArchiveFilter(filter: string): ArchiveFilter {
  if (filter === 'kept') return notArchived;
  return filter === 'old' ? { discarded_at: { not: null } } : {};
}

/** Points whose changes are not announced: clients regard archived points as deleted. */
export const archivedPoints: typeof points = { ...points, options: { ...points.options, changeLogName: null } };
