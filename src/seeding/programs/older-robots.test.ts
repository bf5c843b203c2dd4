import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { suiteFakeAccount } from '../../../test/support/fake-account.ts';
import { RobotHarness, step } from '../../../test/support/robot-harness.ts';
import type { Node } from '../../programs/tree.ts';
import { mowAllWeeds } from './mowing.ts';
import type { SeedProgram } from './nodes.ts';
import {
  pickFromSeedBin,
  pickFromSeedTray,
  pickFromSeedTrough,
  pickUpSeed,
  plantSeedOnExpress,
  plantSeedOnGenesis,
} from './planting.ts';
import { waterAll, waterPlant } from './watering.ts';

const account = suiteFakeAccount();
let bench: RobotHarness;
beforeAll(() => {
  bench = new RobotHarness(account.base);
});
beforeEach(() => {
  const seeder = { effector_offset_x: 17.5, effector_offset_y: 1, effector_offset_z: -70 };
  const tools = [
    { id: 3, name: 'Seeder', ...seeder },
    { id: 4, name: 'Rotary Tool', effector_offset_x: 2, effector_offset_y: 3, effector_offset_z: -85 },
    { id: 5, name: 'Watering Nozzle', effector_offset_x: -4, effector_offset_y: 6.5, effector_offset_z: -30 },
  ];
  account.records.set('/api/tools', tools);
  for (const tool of tools) account.records.set(`/api/tools/${tool.id}`, tool);
  const point = { y: 50, z: 0, radius: 20, meta: {}, created_at: '2026-11-01T00:00:00.000Z' };
  account.records.set('/api/points', [
    { id: 11, pointer_type: 'Plant', plant_stage: 'planted', name: 'Far', x: 900, ...point },
    { id: 12, pointer_type: 'Plant', plant_stage: 'planned', name: 'Not yet', x: 10, ...point },
    { id: 13, pointer_type: 'Plant', plant_stage: 'planted', name: 'Near', x: 100, ...point },
    { id: 14, pointer_type: 'Weed', plant_stage: 'active', name: 'Second', x: 500, ...point },
    { id: 15, pointer_type: 'Weed', plant_stage: 'active', name: 'First', x: 200, ...point },
    { id: 16, pointer_type: 'Weed', plant_stage: 'removed', name: 'Gone', x: 1, ...point },
  ]);
});
afterAll(() => bench.lua.stop());

/** Shows the movements and the watered plants, and has values for the variables. */
const shown = `
local text = function(n) return n and string.format("%.2f", n) or "-" end
move = function(to) toast(text(to.x) .. " " .. text(to.y) .. " " .. text(to.z)) end
water = function(plant) toast("water " .. plant.name) end
verify_tool = function() return true end
soil_height = function() return -400 end
watch_pin = function() end
env = function(_, value) if not value then return nil end end
variable = function(name)
  local numbers = { ["Cell Depth"] = 5, ["Bin Depth"] = 20, ["Trough Depth"] = 10 }
  if name == "Seed Tray Cell" then return "B3" end
  return numbers[name] or { x = 106, y = 400, z = -340, pullout_direction = 1, pointer_type = "ToolSlot", name = "Slot" }
end
`;

/** The functions of OS 15.4.11: no lists of plants and weeds, ids to sort, tools without offsets. */
const older = `
get_plants, get_weeds = nil, nil
local points = api({ url = "/api/points" })
sort = function(ids)
  local found = {}
  for _, id in ipairs(ids) do
    for _, point in ipairs(points) do
      if point.id == id then table.insert(found, point) end
    end
  end
  table.sort(found, function(one, other) return one.x < other.x end)
  local sorted = {}
  for index, point in ipairs(found) do sorted[index] = point.id end
  return sorted
end
local whole = get_tool
get_tool = function(search)
  local tool = whole(search)
  return tool and { id = tool.id, name = tool.name, flow_rate_ml_per_s = tool.flow_rate_ml_per_s }
end
`;

const stepsOf = ({ steps }: SeedProgram) =>
  steps({ peripheral: () => 1, sensor: () => 1, tool: () => 1, group: () => 1, sequence: () => 1 });

async function toastsOf(lua: string, functions: string): Promise<readonly string[]> {
  bench.reset();
  expect(await bench.run(step('lua', { lua: `${shown}${functions}\n${lua}\n` }))).toBeNull();
  return bench.performed.flatMap((line) => (line.endsWith('|toast') ? [line.split('|')[1] ?? ''] : []));
}

/** Shows what each movement of a program adds to its place, in a line each. */
const additionsOf = (program: SeedProgram): string =>
  stepsOf(program)
    .filter(({ kind }) => kind === 'move')
    .map(({ body = [] }) => {
      const added = body.filter(({ kind }) => kind === 'axis_addition');
      return `toast("" ${added.map(({ args }) => `.. text((function()\n${luaOf(args.axis_operand)}\nend)()) .. " "`).join('')})`;
    })
    .join('\n');

const luaOf = (operand: unknown): string => String((operand as Node).args.lua);

const cases: readonly (readonly [SeedProgram, readonly string[]])[] = [
  [waterAll, ['Water all 2 plants', 'water Near', 'water Far']],
  [
    mowAllWeeds,
    [
      ...['128.00 47.00 -295.00', '- - -315.00', '268.00 - -', '- - -295.00'],
      ...['428.00 47.00 -295.00', '- - -315.00', '568.00 - -', '- - -295.00'],
      'Done with 2 weeds',
    ],
  ],
  [pickFromSeedBin, ['Picking up a seed at (106, 400)', '88.50 399.00 -245.00', '- - -290.00', '- - -245.00']],
  [pickFromSeedTrough, ['Picking up a seed at (106, 400)', '- 399.00 -245.00', '- - -280.00', '- - -245.00']],
  [pickFromSeedTray, ['Picking up a seed at (112.25, 406.25)', '94.75 405.25 -245.00', '- - -275.00', '- - -245.00']],
];

// [rule S20]
it.each(cases.map(([program, expected]) => [program.name, program, expected] as const))(
  '%s works by the offsets of the tool, on the newest OS and on 15.4.11',
  async (_, program, expected) => {
    const lua = String(stepsOf(program)[0]?.args.lua);
    expect(await toastsOf(lua, '')).toEqual(expected);
    expect(await toastsOf(lua, older)).toEqual(expected);
  },
);

const planting = ['-17.50 -1.00 220.00 ', '-17.50 -1.00 45.00 ', '-17.50 -1.00 220.00 '];
const movements: readonly (readonly [name: string, SeedProgram, readonly string[]])[] = [
  ['Plant seed', plantSeedOnGenesis, planting],
  ['Plant seed of an Express', plantSeedOnExpress, [...planting, '']],
  ['Pick up seed', pickUpSeed, ['-17.50 -1.00 120.00 ', '-17.50 -1.00 70.00 ', '-17.50 -1.00 120.00 ']],
  ['Water plant', waterPlant, ['4.00 -6.50 ']],
];

// [rule S20]
it.each(movements)('%s moves the tip of the tool, on the newest OS and on 15.4.11', async (_, program, expected) => {
  const additions = additionsOf(program);
  expect(await toastsOf(additions, '')).toEqual(expected);
  expect(await toastsOf(additions, older)).toEqual(expected);
});

it.each([
  ['a Genesis', plantSeedOnGenesis, '-17.50 0.00 230.00 '],
  ['an Express', plantSeedOnExpress, '0.00 0.00 150.00 '],
])('Plant seed of %s without such a tool has the offsets of its kit', async (_, program, first) => {
  account.records.set('/api/tools', []);
  expect((await toastsOf(additionsOf(program), ''))[0]).toBe(first);
});
