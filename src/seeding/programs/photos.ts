import type { Node } from '../../programs/tree.ts';
import type { SeedProgram } from './nodes.ts';
import {
  axisNode,
  axisNodes,
  commented,
  luaNode,
  moveNode,
  placeNode,
  safeZNode,
  specialValueNode,
  takePhotoNode,
  variableNode,
} from './nodes.ts';

/** Moves above the program's location at safe height, with further parts of the movement. */
export const goOverPlace = (...parts: readonly Node[]): Node =>
  commented(
    'Go over the place.',
    moveNode(
      ...axisNodes(['x', 'y', 'z'], variableNode('parent')),
      ...parts,
      axisNode('z', specialValueNode('safe_height')),
      safeZNode,
    ),
  );

export const takePhotoOfPlant: SeedProgram = {
  name: 'Take photo of plant',
  color: 'pink',
  pinned: true,
  locals: [placeNode],
  steps: () => [goOverPlace(), commented('Look down.', takePhotoNode)],
};

/** Returns a script that calls a Lua function at each position of the photo grid. */
const scanning = (job: string, doing: string, action: string): string => `
local job = "${job}"
local cells = photo_grid()

cells.each(function(cell)
  set_job(job, { percent = 100 * (cell.count - 0.5) / cells.total, status = "Moving" })
  move({ x = cell.x, y = cell.y, z = cell.z })
  set_job(job, { percent = 100 * cell.count / cells.total, status = "${doing}" })
  send_message("info", "${doing}: " .. cell.count .. " of " .. cells.total)
  ${action}()
end)
complete_job(job)
`;

const scan = (name: string, comment: string, doing: string, action: string): SeedProgram => ({
  name,
  color: 'gray',
  isShared: true,
  steps: () => [commented(comment, luaNode(scanning(name, doing, action)))],
});

export const photoGrid = scan('Photo Grid', 'Photographs the whole garden.', 'Taking photo', 'take_photo');

export const weedDetectionGrid = scan(
  'Weed Detection Grid',
  'Looks for weeds in the whole garden.',
  'Looking for weeds',
  'detect_weeds',
);

export const soilHeightGrid = scan(
  'Soil Height Grid',
  'Measures how high the soil is in the whole garden.',
  'Measuring',
  'measure_soil_height',
);
