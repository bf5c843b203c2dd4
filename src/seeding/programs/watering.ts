import type { SeedProgram } from './nodes.ts';
import {
  commented,
  executeForGroupNode,
  luaNode,
  numericNode,
  parameterNode,
  placeNode,
  pointsScript,
  tipNodes,
  waitNode,
  writeNode,
} from './nodes.ts';
import { goOverPlace } from './photos.ts';

export const waterPlant: SeedProgram = {
  name: 'Water plant',
  color: 'blue',
  pinned: true,
  locals: [placeNode],
  steps: ({ peripheral }) => [
    goOverPlace(...tipNodes(['x', 'y'], 'Watering Nozzle', { x: 0, y: 0, z: 0 })),
    commented('Open the valve.', writeNode(peripheral('Water'), 1)),
    commented('Let it flow for two seconds.', waitNode(2000)),
    commented('Close the valve.', writeNode(peripheral('Water'), 0)),
  ],
};

export const waterAllPlants: SeedProgram = {
  name: 'Water all plants',
  color: 'green',
  steps: ({ sequence, group }) => [
    commented(
      'One plant after the other.',
      executeForGroupNode(sequence(waterPlant.name), 'parent', group('All plants')),
    ),
  ],
};

const wateringAll = `
${pointsScript('plants', 'get_plants', 'Plant', 'planted')}
local total = #plants
local job = "Water all " .. total .. " plants"

toast(job)
set_job(job)
for done, plant in ipairs(plants) do
  set_job(job, {
    percent = 100 * done / total,
    status = plant.name .. " at (" .. plant.x .. ", " .. plant.y .. ")"
  })
  water(plant)
end
complete_job(job)
`;

export const waterAll: SeedProgram = {
  name: 'Water all',
  color: 'blue',
  isShared: true,
  steps: () => [commented('Waters each plant according to its age, the nearest first.', luaNode(wateringAll))],
};

export const dispenseWater: SeedProgram = {
  name: 'Dispense Water',
  color: 'blue',
  isShared: true,
  locals: [parameterNode('Water (mL)', numericNode(250))],
  steps: () => [
    commented('Dispenses the amount of water in the variable.', luaNode('dispense(variable("Water (mL)"))')),
  ],
};
