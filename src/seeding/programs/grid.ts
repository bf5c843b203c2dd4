import type { SeedProgram } from './nodes.ts';
import { anySequenceNode, commented, coordinateNode, luaNode, parameterNode } from './nodes.ts';

// The function reads the variables again because it runs without the script's variables. [rule R17]
const script = `
local points = variable("Number of points")
local subsequence = variable("Subsequence")

toast(subsequence.name .. " at " .. points.x * points.y * points.z .. " places")

local cells = grid({
  grid_points = { x = points.x, y = points.y, z = points.z },
  start = variable("Starting location"),
  spacing = variable("Spacing")
})

cells.each(function(cell)
  local points = variable("Number of points")
  local subsequence = variable("Subsequence")
  local total = points.x * points.y * points.z
  local job = subsequence.name .. " at " .. total .. " places"
  local place = cell.count .. " of " .. total

  set_job(job, { percent = 100 * (cell.count - 1) / total, status = "Moving" })
  send_message("info", "Moving to place " .. place)
  move({ x = cell.x, y = cell.y, z = cell.z })

  set_job(job, { percent = 100 * (cell.count - 0.5) / total, status = "Executing" })
  send_message("info", "Executing " .. subsequence.name .. " at place " .. place)
  cs_eval(subsequence)
end)

complete_job(subsequence.name .. " at " .. points.x * points.y * points.z .. " places")
`;

export const grid: SeedProgram = {
  name: 'Grid',
  color: 'gray',
  isShared: true,
  locals: [
    parameterNode('Starting location', coordinateNode(0, 0, 0)),
    parameterNode('Number of points', coordinateNode(2, 3, 1)),
    parameterNode('Spacing', coordinateNode(50, 100, 0)),
    parameterNode('Subsequence', anySequenceNode),
  ],
  steps: () => [commented('Runs another sequence at every place of a grid.', luaNode(script))],
};
