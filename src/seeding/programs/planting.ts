import type { SeedProgram } from './nodes.ts';
import {
  anyLocationNode,
  axisNode,
  axisNodes,
  commented,
  constantNode,
  findHomeNode,
  luaNode,
  moveNode,
  numericNode,
  parameterNode,
  placeNode,
  safeZNode,
  specialValueNode,
  speedNode,
  type TipOffset,
  textNode,
  tipNodes,
  toolNode,
  toolScript,
  variableNode,
  writeNode,
} from './nodes.ts';

/** The speed while holding a seed, in percent. */
const slow = 25;

/** The tip of the seeder, `above` mm above a place. */
const needle = (unknown: TipOffset, above = 0) => tipNodes(['x', 'y', 'z'], 'Seeder', unknown, above);

/** The offset of the kits' seeders. */
const ofSeeder: TipOffset = { x: 17.5, y: 0, z: -80 };
/** An Express has its needle where its head is, and no tool for it. */
const ofExpress: TipOffset = { x: 0, y: 0, z: 0 };

const overSoil = [...axisNodes(['x', 'y'], variableNode('parent')), axisNode('z', specialValueNode('soil_height'))];

/** Returns the program, which differs between robots in the needle and the last step. */
const plantSeed = (unknown: TipOffset, home: ReturnType<typeof moveNode>): SeedProgram => ({
  name: 'Plant seed',
  color: 'yellow',
  locals: [placeNode],
  steps: ({ peripheral }) => [
    commented('Go over the place.', moveNode(...overSoil, ...needle(unknown, 150), safeZNode)),
    commented('Push the seed into the soil.', moveNode(...overSoil, ...needle(unknown, -25), speedNode('z', slow))),
    commented('Let go of the seed.', writeNode(peripheral('Vacuum'), 0)),
    commented('Leave the soil.', moveNode(...overSoil, ...needle(unknown, 150))),
    commented('Get out of the way.', home),
  ],
});

export const plantSeedOnGenesis = plantSeed(ofSeeder, findHomeNode('z'));
export const plantSeedOnExpress = plantSeed(ofExpress, moveNode(axisNode('z', numericNode(0))));

export const pickUpSeed: SeedProgram = {
  name: 'Pick up seed',
  color: 'yellow',
  steps({ tool, peripheral }) {
    const trough = axisNodes(['x', 'y', 'z'], toolNode(tool('Seed Trough 1')));
    return [
      commented('Go over the trough.', moveNode(...trough, ...needle(ofExpress, 50), safeZNode)),
      commented('Begin to suck.', writeNode(peripheral('Vacuum'), 1)),
      commented('Dip into the seeds.', moveNode(...trough, ...needle(ofExpress), speedNode('z', slow))),
      commented('Lift the seed out.', moveNode(...trough, ...needle(ofExpress, 50))),
    ];
  },
};

interface Container {
  /** Its name, and the variable's. */
  readonly name: string;
  /** Lua that defines `spot`, the position of the seeds. */
  readonly spot: string;
  /** The variable with the depth of the needle, in mm. */
  readonly depth: string;
  /** The axes that move, besides z. */
  readonly across: readonly ('x' | 'y')[];
}

/** Returns a script that picks a seed from a container. `head` is the position of the robot with the needle in the seeds. */
const picking = ({ name, spot, depth, across }: Container): string => `
local job = "Pick from ${name}"
local vacuum = 9
${spot}
local depth = variable("${depth}")
${toolScript('seeder', 'Seeder')}
local head = {
  x = spot.x - (seeder.effector_offset_x or ${ofSeeder.x}),
  y = spot.y - (seeder.effector_offset_y or ${ofSeeder.y}),
  z = spot.z - (seeder.effector_offset_z or ${ofSeeder.z})
}

if not verify_tool() then
  return
end
toast("Picking up a seed at (" .. spot.x .. ", " .. spot.y .. ")")

set_job(job, { percent = 25, status = "Going there" })
move({ ${across.map((axis) => `${axis} = head.${axis}, `).join('')}z = head.z + 25, grouping = "xy,z", route = "high" })

set_job(job, { percent = 75, status = "Sucking" })
on(vacuum)
move({ z = head.z - depth, speed = 50 })

set_job(job, { percent = 90, status = "Lifting" })
move({ z = head.z + 25 })
complete_job(job)
`;

const comment = (name: string): string => `Picks one seed from the ${name.toLowerCase()} with the seeder.`;

const tray: Container = {
  name: 'Seed Tray',
  // Robots subtract the 17.5 mm of their own needle in x: the middle of all cells shows whether they do.
  spot: `local tray = variable("Seed Tray")
local spot = get_seed_tray_cell(tray, variable("Seed Tray Cell"))
spot.x = spot.x + tray.x - (get_seed_tray_cell(tray, 'A1').x + get_seed_tray_cell(tray, 'D4').x) / 2`,
  depth: 'Cell Depth',
  across: ['x', 'y'],
};
const trough: Container = {
  name: 'Seed Trough',
  spot: 'local spot = variable("Seed Trough")',
  depth: 'Trough Depth',
  // A trough is mounted on the gantry and has no x of its own.
  across: ['y'],
};
const bin: Container = {
  name: 'Seed Bin',
  spot: 'local spot = variable("Seed Bin")',
  depth: 'Bin Depth',
  across: ['x', 'y'],
};

export const pickFromSeedTray: SeedProgram = {
  name: 'Pick from Seed Tray',
  color: 'yellow',
  isShared: true,
  locals: [
    parameterNode('Seed Tray', anyLocationNode),
    parameterNode('Seed Tray Cell', textNode('B3')),
    parameterNode('Cell Depth', numericNode(5)),
  ],
  steps: () => [commented(comment(tray.name), luaNode(picking(tray)))],
};

export const pickFromSeedTrough: SeedProgram = {
  name: 'Pick from Seed Trough',
  color: 'yellow',
  isShared: true,
  locals: [parameterNode('Seed Trough', anyLocationNode), constantNode('Trough Depth', numericNode(10))],
  steps: () => [commented(comment(trough.name), luaNode(picking(trough)))],
};

export const pickFromSeedBin: SeedProgram = {
  name: 'Pick from Seed Bin',
  color: 'yellow',
  isShared: true,
  locals: [parameterNode('Seed Bin', anyLocationNode), constantNode('Bin Depth', numericNode(20))],
  steps: () => [commented(comment(bin.name), luaNode(picking(bin)))],
};
