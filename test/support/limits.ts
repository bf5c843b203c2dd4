import { parseBody } from '../../src/engine/body.ts';
import type { Field } from '../../src/engine/fields.ts';
import type { AnyResource } from '../../src/engine/resource.ts';
import { boards, configLimits } from './config-limits.ts';
import type { FieldLimit } from './field-limit.ts';

export type ResourceLimits = Readonly<Record<string, FieldLimit>>;

/** For texts without a limit of their own. */
const freeText = { max: 10_000 } as const;
/** The same for unique texts. */
const indexedText = { max: 2000 } as const;
const required = { required: true } as const;
const readOnly = { readOnly: true } as const;
const nullable = { nullable: true } as const;
const requiredNullable = { required: true, nullable: true } as const;
const percent = { range: [0, 100] } as const;

const colors = ['blue', 'green', 'yellow', 'orange', 'purple', 'pink', 'gray', 'red'];
const origin = { required: true, choices: ['home', 'max', 'world'] } as const;
const place = { required: true, range: [-100_000, 100_000] } as const;
const size = { required: true, range: [0, 100_000] } as const;

/** Limits of the resources that clients know, by name. */
const limits: Readonly<Record<string, ResourceLimits>> = {
  ai_feedbacks: {
    prompt: { max: 500, nullable: true },
    reaction: { choices: ['good', 'bad'], nullable: true },
    model: { ...freeText, readOnly: true },
  },
  alerts: {
    priority: readOnly,
    problem_tag: {
      readOnly: true,
      choices: [
        ...['api.seed_data.missing', 'api.documentation.unread', 'api.tour.not_taken', 'api.user.not_welcomed'],
        ...['api.bulletin.unread', 'api.demo_account.in_use'],
      ],
    },
    slug: { ...freeText, readOnly: true },
  },
  curves: {
    name: { required: true, max: 80, unique: true },
    type: { required: true, choices: ['water', 'spread', 'height'], key: 'curve_type' },
    data: required,
  },
  farm_events: {
    start_time: {},
    end_time: {},
    repeat: { required: true, range: [1, 2_147_483_647] },
    time_unit: { required: true, choices: ['never', 'minutely', 'hourly', 'daily', 'weekly', 'monthly', 'yearly'] },
    executable_type: { choices: ['Sequence', 'Regimen'], default: 'Sequence' },
    executable_id: {},
    body: { default: [] },
  },
  farmware_envs: { key: { required: true, max: 100, unique: true }, value: required },
  farmware_installations: {
    url: { required: true, ...indexedText, unique: true },
    package: { ...freeText, readOnly: true },
    package_error: { ...freeText, readOnly: true },
  },
  folders: {
    parent_id: nullable,
    color: { required: true, max: 20 },
    name: { required: true, max: 40 },
  },
  images: {
    attachment_processed_at: readOnly,
    attachment_url: { required: true, ...freeText },
    byte_size: readOnly,
    meta: { default: {} },
    origin: { ...freeText, readOnly: true },
    photo_key: { ...freeText, readOnly: true },
    photo_type: { choices: ['jpg', 'png', 'webp'], readOnly: true },
    upload_key: { ...freeText, readOnly: true },
  },
  logs: {
    channels: { default: [] },
    message: { required: true, ...freeText },
    meta: { ...freeText, readOnly: true },
    major_version: {},
    minor_version: {},
    patch_version: {},
    type: { choices: ['assertion', 'busy', 'debug', 'error', 'fun', 'info', 'success', 'warn'], default: 'info' },
    verbosity: { default: 1 },
    x: {},
    y: {},
    z: {},
    mail: { readOnly: true, choices: ['fatal', 'digest'] },
    posted: readOnly,
    sent_at: readOnly,
  },
  peripherals: {
    pin: { required: true, range: [0, 1000], key: 'error', unique: true },
    label: { required: true, max: 280 },
    mode: { choices: [0, 1], default: 0 },
  },
  pin_bindings: {
    sequence_id: {},
    special_action: {
      choices: ['emergency_lock', 'emergency_unlock', 'power_off', 'read_status', 'reboot', 'sync', 'take_photo'],
    },
    pin_num: { required: true, unique: true },
    binding_type: { choices: ['standard', 'special'], updateOnly: true },
  },
  plant_templates: {
    saved_garden_id: required,
    name: { ...freeText, default: 'untitled' },
    openfarm_slug: { max: 280, default: 'null' },
    x: required,
    y: required,
    z: { default: 0 },
    radius: { default: 25 },
  },
  point_groups: {
    name: { required: true, max: 80 },
    point_ids: { readOnly: true },
    sort_type: {
      choices: [
        ...['xy_ascending', 'xy_descending', 'yx_ascending', 'yx_descending'],
        ...['xy_alternating', 'yx_alternating', 'nn', 'random'],
      ],
      default: 'xy_ascending',
    },
    criteria: {
      default: { day: { op: '<', days_ago: 0 }, string_eq: {}, number_eq: {}, number_lt: {}, number_gt: {} },
    },
  },
  points: {
    name: { ...freeText, default: 'untitled' },
    pointer_type: { required: true, choices: ['GenericPointer', 'Plant', 'ToolSlot', 'Weed'] },
    meta: { default: {} },
    x: { required: true, below: 50_000 },
    y: { required: true, below: 50_000 },
    z: { below: 50_000, default: 0 },
    radius: { default: 25 },
    discarded_at: readOnly,
    openfarm_slug: { max: 280, default: 'not-set' },
    plant_stage: {
      choices: ['planned', 'planted', 'harvested', 'sprouted', 'active', 'removed', 'pending'],
      default: 'planned',
    },
    planted_at: nullable,
    depth: { default: 0 },
    water_curve_id: nullable,
    spread_curve_id: nullable,
    height_curve_id: nullable,
    tool_id: nullable,
    pullout_direction: { range: [0, 4], default: 0 },
    gantry_mounted: { default: false },
  },
  regimens: {
    name: { required: true, max: 280, unique: true },
    color: { required: true, nullable: true, choices: colors },
    regimen_items: { readOnly: true },
    body: { default: [] },
  },
  saved_gardens: { name: { required: true, ...freeText }, notes: { max: 1500 } },
  scene_objects: {
    name: { required: true, max: 80, unique: true },
    texture: {
      required: true,
      choices: [
        ...['aluminum', 'bricks', 'cloud', 'concrete', 'grass', 'none', 'sand', 'screen', 'soil', 'water', 'wood'],
      ],
    },
    color: { required: true, max: 80 },
    show: { default: true },
    shape: {
      required: true,
      choices: [
        ...['astronaut', 'box', 'cylinder', 'desk', 'fence', 'hab', 'laptop', 'plant', 'rover', 'solar', 'sphere'],
        ...['tray', 'tree', 'window'],
      ],
    },
    x_origin: origin,
    y_origin: origin,
    z_origin: origin,
    x_center: place,
    y_center: place,
    z_base: place,
    x_size: size,
    y_size: size,
    z_size: size,
    rotation: { required: true, range: [-180, 180] },
  },
  sensor_readings: {
    mode: { choices: [0, 1], default: 0 },
    pin: { required: true, range: [0, 69] },
    value: { required: true, range: [0, 1023] },
    x: requiredNullable,
    y: requiredNullable,
    z: requiredNullable,
    read_at: {},
  },
  sensors: {
    pin: { required: true, range: [0, 69], key: 'error', unique: true },
    label: { required: true, ...freeText },
    mode: { required: true, choices: [0, 1] },
  },
  sequences: {
    args: { default: { version: 20180209, locals: { kind: 'scope_declaration', args: {} } } },
    color: { choices: colors, default: 'gray' },
    folder_id: {},
    forked: { default: false, updateOnly: true },
    name: { required: true, ...indexedText, unique: true },
    pinned: { default: false },
    copyright: { max: 1500, updateOnly: true },
    description: freeText,
    sequence_versions: readOnly,
    sequence_version_id: readOnly,
    kind: { ...readOnly, ...freeText },
    body: required,
  },
  telemetries: {
    soc_temp: {},
    throttled: { max: 10 },
    wifi_level_percent: percent,
    uptime: {},
    memory_usage: {},
    disk_usage: percent,
    cpu_usage: percent,
    target: { required: true, choices: ['rpi', 'rpi3', 'rpi4'] },
    fbos_version: { max: 20 },
    firmware_hardware: { choices: boards },
  },
  tools: {
    name: { required: true, max: 280, unique: true },
    status: { readOnly: true, choices: ['active', 'inactive'] },
    flow_rate_ml_per_s: { default: 0 },
    seeder_tip_z_offset: { default: 80 },
  },
  webcam_feeds: { url: { required: true, ...freeText }, name: { required: true, max: 80 } },
  wizard_step_results: {
    answer: nullable,
    outcome: { ...freeText, nullable: true },
    slug: { required: true, ...freeText },
  },
};

/** Returns the limits of a resource that are written by hand: of every field but additions to the original service. */
export const writtenLimits = ({ name, path }: AnyResource & { readonly path?: string }): ResourceLimits =>
  limits[name] ?? configLimits[path?.replace('/api/', '') ?? ''] ?? {};

/** Returns the limits of a resource: the handwritten ones, and its additions' declared ones. */
export function limitsOf(resource: AnyResource): ResourceLimits {
  const written = writtenLimits(resource);
  const declared = Object.entries(resource.fields)
    .filter(([name]) => !(name in written))
    .map(([name, field]): [string, FieldLimit] => {
      const limit = declaredLimit(field);
      const { failures } = parseBody({ [name]: field }, { [name]: (limit.range?.[1] ?? 0) + 1 }, 'create');
      return [name, limit.range && !(name in failures) ? { ...limit, key: 'error' } : limit];
    });
  return { ...Object.fromEntries(declared), ...written };
}

/** Returns the limit that a field declares, without its key. */
export function declaredLimit({ kind, traits, initial }: Field): FieldLimit {
  const { minimum, maximum, maxLength, exclusiveMaximum } = traits.limits as Record<string, number | undefined>;
  const { enum: choices } = kind.input as { enum?: (string | number)[] };
  return {
    ...(traits.absence === 'refused' && { required: true }),
    ...(traits.null === 'stored' && { nullable: true }),
    ...(initial !== undefined && { default: initial }),
    ...(traits.writability === 'never' && { readOnly: true }),
    ...(traits.writability === 'on update' && { updateOnly: true }),
    ...(traits.isUnique && { unique: true }),
    ...(maxLength !== undefined && { max: maxLength }),
    ...(minimum !== undefined && maximum !== undefined && { range: [minimum, maximum] }),
    ...(exclusiveMaximum !== undefined && { below: exclusiveMaximum }),
    ...(choices && { choices: choices.toSorted() }),
  };
}
