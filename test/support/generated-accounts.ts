import fc from 'fast-check';
import type { PointerType } from '../../src/programs/corpus-args.ts';
import type { Document } from './account-transfer.ts';
import type { Program } from './program-trees.ts';
import { programs } from './program-trees.ts';

// Generated export documents: every kind of record, with references in all directions, limited to records that requests can store.

const word = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .map((text) => text.trim())
  .filter((text) => text !== '');
const time = fc
  .date({ min: new Date('2015-01-01'), max: new Date('2026-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());
const seconds = fc.integer({ min: 1_500_000_000, max: 1_760_000_000 });
const wholeNumber = fc.integer({ min: -1000, max: 1000 });
const place = fc.oneof(
  wholeNumber,
  fc.double({ min: -5000, max: 5000, noNaN: true }).map((value) => value + 0),
);
const color = fc.constantFrom('blue', 'green', 'yellow', 'orange', 'purple', 'pink', 'gray', 'red');
const orNull = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { freq: 3 });
const few = <T>(value: fc.Arbitrary<T>, maxLength = 4): fc.Arbitrary<T[]> => fc.array(value, { maxLength });
const names = (maxLength = 4): fc.Arbitrary<string[]> => fc.uniqueArray(word, { maxLength });
const oneOf = (ids: readonly number[]): fc.Arbitrary<number | null> =>
  ids.length === 0 ? fc.constant(null) : orNull(fc.constantFrom(...ids));
const stage = fc.constantFrom('planned', 'planted', 'harvested', 'sprouted', 'active', 'removed', 'pending');

type Shape = Record<string, fc.Arbitrary<unknown>>;

/** Generates one record for each of the values, with ascending ids. */
const records = (from: number, shape: Shape, values: fc.Arbitrary<object[]>): fc.Arbitrary<Document[]> =>
  values.chain((all) =>
    fc.tuple(
      ...all.map((value, index) =>
        fc
          .record({ id: fc.constant(from + 3 * index), created_at: time, ...shape })
          .map((rest) => ({ ...rest, ...value })),
      ),
    ),
  );

const byName = (maxLength = 4): fc.Arbitrary<object[]> => names(maxLength).map((all) => all.map((name) => ({ name })));
const anonymous = (maxLength = 4): fc.Arbitrary<object[]> => few(fc.constant({}), maxLength);
const byPin = (pins: fc.Arbitrary<number>, key: string): fc.Arbitrary<object[]> =>
  fc.uniqueArray(pins, { maxLength: 3 }).map((all) => all.map((pin) => ({ [key]: pin })));

const idsOf = (list: readonly Document[]): number[] => list.map(({ id }) => id);

/** Records without references to other resources. */
const independent = fc.record({
  tools: records(100, { flow_rate_ml_per_s: wholeNumber, seeder_tip_z_offset: place }, byName()),
  curves: records(
    200,
    {
      type: fc.constantFrom('water', 'spread', 'height'),
      data: fc.dictionary(fc.nat({ max: 99 }).map(String), wholeNumber, { maxKeys: 5 }),
    },
    byName(),
  ),
  peripherals: records(300, { label: word, mode: fc.constantFrom(0, 1) }, byPin(fc.nat({ max: 1000 }), 'pin')),
  sensors: records(400, { label: word, mode: fc.constantFrom(0, 1) }, byPin(fc.nat({ max: 69 }), 'pin')),
  saved_gardens: records(500, { name: word, notes: orNull(fc.oneof(word, fc.constant(''))) }, anonymous(2)),
  farmware_envs: records(
    600,
    { value: fc.oneof(word, fc.record({ a: wholeNumber, b: word })) },
    names(3).map((all) => all.map((key) => ({ key }))),
  ),
  farmware_installations: records(
    700,
    { package: orNull(word), package_error: orNull(word) },
    fc.uniqueArray(fc.webUrl(), { maxLength: 2 }).map((all) => all.map((url) => ({ url }))),
  ),
  webcam_feeds: records(800, { name: word, url: word }, anonymous(2)),
  sensor_readings: records(
    900,
    {
      mode: fc.constantFrom(0, 1),
      pin: fc.nat({ max: 69 }),
      value: fc.nat({ max: 1023 }),
      x: orNull(place),
      y: orNull(place),
      z: orNull(place),
      read_at: time,
    },
    anonymous(),
  ),
  logs: records(
    1000,
    {
      created_at: seconds,
      message: word,
      channels: few(word, 2),
      type: fc.constantFrom('success', 'fun', 'error'),
      verbosity: wholeNumber,
      x: orNull(place),
      y: orNull(place),
      z: orNull(place),
      major_version: orNull(wholeNumber),
      minor_version: orNull(wholeNumber),
      patch_version: orNull(wholeNumber),
    },
    anonymous(),
  ),
  telemetries: records(
    1100,
    {
      created_at: seconds,
      target: fc.constantFrom('rpi3', 'host'),
      soc_temp: orNull(wholeNumber),
      throttled: orNull(fc.constant('0x0')),
      uptime: orNull(wholeNumber),
      cpu_usage: orNull(fc.nat({ max: 300 })),
      fbos_version: orNull(fc.constant('17.1.2')),
      firmware_hardware: orNull(fc.constant('newer')),
    },
    anonymous(),
  ),
  wizard_step_results: records(1200, { slug: word, answer: orNull(fc.boolean()), outcome: orNull(word) }, anonymous(2)),
  ai_feedbacks: records(1300, { prompt: orNull(word), reaction: orNull(fc.constantFrom('good', 'bad')) }, anonymous(2)),
  scene_objects: records(
    1400,
    {
      texture: fc.constantFrom('wood', 'water'),
      color: word,
      show: fc.boolean(),
      shape: fc.constantFrom('box', 'tree'),
      x_origin: fc.constant('home'),
      y_origin: fc.constant('max'),
      z_origin: fc.constant('world'),
      x_center: wholeNumber,
      y_center: wholeNumber,
      z_base: wholeNumber,
      x_size: fc.nat({ max: 100 }),
      y_size: fc.nat({ max: 100 }),
      z_size: fc.nat({ max: 100 }),
      rotation: fc.integer({ min: -180, max: 180 }),
    },
    byName(2),
  ),
  folders: byName(4).chain((all) =>
    // A parent may come before or after its children, and a folder may be its own parent.
    records(1500, { color }, fc.constant(all)).chain((generated) =>
      fc
        .tuple(...generated.map((_, index) => orNull(fc.integer({ min: index, max: generated.length - 1 }))))
        .map((parents) =>
          generated.map((folder, index) => {
            const parent = parents[index];
            return { ...folder, parent_id: parent == null ? null : (generated[parent]?.id ?? null) };
          }),
        ),
    ),
  ),
});

type Independent = typeof independent extends fc.Arbitrary<infer T> ? T : never;

/** Plants and slots have `discarded_at` only if they are archived. */
const withoutArchive = ({ discarded_at, ...point }: Document): Document =>
  discarded_at === null && ['Plant', 'ToolSlot'].includes(point.pointer_type) ? point : { ...point, discarded_at };

/** Points of all types, some of them archived. A tool is in one slot at most, and never in an archived one. */
function pointsOf({ tools, curves }: Independent): fc.Arbitrary<Document[]> {
  const common = {
    name: word,
    meta: fc.dictionary(word, word, { maxKeys: 3 }),
    x: place,
    y: place,
    z: place,
    discarded_at: fc.option(time, { freq: 4 }),
  };
  const curve = oneOf(idsOf(curves));
  const kinds: Readonly<Record<PointerType, Shape>> = {
    Plant: {
      openfarm_slug: word,
      plant_stage: stage,
      planted_at: orNull(time),
      radius: place,
      depth: wholeNumber,
      water_curve_id: curve,
      spread_curve_id: curve,
      height_curve_id: curve,
    },
    GenericPointer: { radius: place },
    Weed: { radius: place, plant_stage: stage },
    ToolSlot: { pullout_direction: fc.nat({ max: 4 }), gantry_mounted: fc.boolean() },
  };
  const shapes = Object.entries(kinds).map(([pointer_type, shape]) =>
    fc.record({ pointer_type: fc.constant(pointer_type), created_at: time, ...common, ...shape }),
  );
  return few(fc.oneof(...shapes), 10).map((all) => {
    const free = idsOf(tools);
    return all.map((point: Document, index) => ({
      id: 2000 + 3 * index,
      ...withoutArchive(point),
      ...(point.pointer_type === 'ToolSlot' && { tool_id: point.discarded_at === null ? (free.pop() ?? null) : null }),
    }));
  });
}

const criteria = fc.record({
  day: fc.record({ op: fc.constantFrom('<', '>'), days_ago: wholeNumber }),
  string_eq: fc.dictionary(word, few(word, 2), { maxKeys: 2 }),
  number_eq: fc.dictionary(word, few(place, 2), { maxKeys: 2 }),
  number_lt: fc.dictionary(word, place, { maxKeys: 2 }),
  number_gt: fc.dictionary(word, place, { maxKeys: 2 }),
});

const sequenceId = 4000;

/** Resources with programs, which may refer to each other in any direction. */
function programsOf(
  base: Independent,
  points: readonly Document[],
  groups: readonly Document[],
): fc.Arbitrary<Document> {
  const live = points.map(({ id, pointer_type }) => ({ id, pointer_type }));
  return names(5).chain((all) => {
    const sequenceIds = all.map((_, index) => sequenceId + 3 * index);
    const own = {
      ids: {
        sequences: sequenceIds,
        tools: idsOf(base.tools),
        point_groups: idsOf(groups),
        peripherals: idsOf(base.peripherals),
        sensors: idsOf(base.sensors),
      },
      points: live,
    };
    const shape = {
      color,
      pinned: fc.boolean(),
      forked: fc.boolean(),
      folder_id: oneOf(idsOf(base.folders)),
      description: orNull(word),
      copyright: orNull(word),
    };
    const sequences = fc.tuple(
      ...all.map((name, index) =>
        fc.record({ created_at: time, ...shape, program: programs(own) }).map(({ program, ...rest }) => ({
          id: sequenceIds[index],
          name,
          ...rest,
          args: { version: 20180209, locals: (program as Program).args.locals },
          body: (program as Program).body,
        })),
      ),
    );
    const item = fc.record({
      id: fc.nat(),
      created_at: time,
      time_offset: fc.maxSafeInteger(),
      sequence_id: fc.constantFrom(...sequenceIds, sequenceId),
    });
    const items = sequenceIds.length === 0 ? fc.constant([]) : few(item, 3);
    const regimens = records(5000, { color: orNull(color), regimen_items: items, body: fc.constant([]) }, byName(3));
    const group =
      groups.length === 0
        ? fc.constant([])
        : fc.constantFrom(
            [],
            [
              {
                kind: 'parameter_application',
                args: { label: 'a', data_value: { kind: 'point_group', args: { point_group_id: groups[0]?.id } } },
              },
            ],
          );
    return fc.record({ sequences, regimens }).chain((generated) => {
      const runs: [string, number][] = [
        ...sequenceIds.map((id): [string, number] => ['Sequence', id]),
        ...idsOf(generated.regimens).map((id): [string, number] => ['Regimen', id]),
      ];
      const event =
        runs.length === 0
          ? fc.constant([])
          : few(
              fc.record({
                run: fc.constantFrom(...runs),
                start_time: time,
                repeat: fc.integer({ min: 1, max: 100 }),
                body: group,
                created_at: time,
                isOnce: fc.boolean(),
              }),
              4,
            );
      const farm_events = event.map((list) =>
        list.map(({ run: [executable_type, executable_id], isOnce, start_time, ...rest }, index) => ({
          id: 6000 + index,
          executable_type,
          executable_id,
          start_time,
          ...rest,
          time_unit: isOnce ? 'never' : 'daily',
          end_time: new Date(Date.parse(start_time) + (isOnce ? 60_000 : 90 * 86_400_000)).toISOString(),
        })),
      );
      const bindings = sequenceIds.length === 0 ? fc.constant(null) : fc.constantFrom(...sequenceIds);
      const pin_bindings = records(7000, { run: bindings }, byPin(fc.integer({ min: 30, max: 99 }), 'pin_num')).map(
        (list) =>
          list.map(({ run, ...rest }) =>
            run === null
              ? { ...rest, sequence_id: null, special_action: 'sync' }
              : { ...rest, sequence_id: run, special_action: null },
          ),
      );
      const fbos_config = fc.record({
        id: fc.constant(1),
        created_at: time,
        disable_factory_reset: fc.boolean(),
        sequence_init_log: fc.boolean(),
        safe_height: wholeNumber,
        firmware_hardware: orNull(fc.constant('farmduino_k19')),
        update_channel: fc.constantFrom('beta', 'stable'),
        boot_sequence_id: oneOf(sequenceIds),
        firmware_path: orNull(word),
      });
      return fc.record({ farm_events, pin_bindings, fbos_config }).map((rest) => ({ ...generated, ...rest }));
    });
  });
}

const zone = fc.constantFrom(null, 'Europe/Vienna', 'W-SU', 'Etc/GMT+4');

/** Export documents of whole accounts. */
export const accountDocuments: fc.Arbitrary<Document> = independent.chain((base) =>
  pointsOf(base).chain((points) => {
    const live = idsOf(points.filter(({ discarded_at }) => (discarded_at ?? null) === null));
    const members = fc.subarray(live).chain((chosen) => fc.shuffledSubarray(chosen, { minLength: chosen.length }));
    return records(
      3000,
      { point_ids: members, sort_type: fc.constantFrom('nn', 'random', 'xy_ascending'), criteria, name: word },
      anonymous(3),
    ).chain((point_groups) =>
      fc
        .record({
          programs: programsOf(base, points, point_groups),
          plant_templates:
            base.saved_gardens.length === 0
              ? fc.constant([])
              : records(
                  8000,
                  {
                    saved_garden_id: fc.constantFrom(...idsOf(base.saved_gardens)),
                    name: word,
                    openfarm_slug: word,
                    x: place,
                    y: place,
                    z: place,
                    radius: place,
                    depth: wholeNumber,
                    planted_at: orNull(time),
                    water_curve_id: oneOf(idsOf(base.curves)),
                  },
                  anonymous(3),
                ),
          device: fc
            .record({
              id: fc.constant(77),
              created_at: time,
              name: word,
              lat: orNull(place),
              lng: orNull(place),
              indoor: fc.boolean(),
              timezone: zone,
              ota_hour: orNull(fc.nat({ max: 23 })),
              rpi: fc.constantFrom(null, '3', '01'),
              mounted_tool_id: oneOf(idsOf(base.tools)),
              setup_completed_at: orNull(time),
              account_seeded_at: orNull(time),
              fb_order_number: fc.constant(null),
            })
            .map((device) => ({ ...device, ota_hour: device.timezone === null ? null : device.ota_hour })),
          firmware_config: fc.record({
            id: fc.constant(2),
            created_at: time,
            movement_max_spd_x: wholeNumber,
            movement_step_per_mm_y: place,
            encoder_enabled_z: fc.constantFrom(0, 1),
          }),
          web_app_config: fc.record({
            id: fc.constant(3),
            created_at: time,
            dark_mode: fc.boolean(),
            zoom_level: fc.integer({ min: -9, max: 3 }),
            internal_use: orNull(word),
            go_button_axes: fc.constantFrom('X', 'XYZ'),
          }),
        })
        .map(({ programs: generated, ...rest }) => ({
          export_created_at: '2026-01-01T00:00:00.000+00:00',
          server_url: '//elsewhere:443',
          database_schema: 20260101000000,
          users: [],
          token_issuances: [],
          images: [],
          ...base,
          points,
          point_groups,
          ...generated,
          ...rest,
        })),
    );
  }),
);
