import type { SeedProgram } from './nodes.ts';
import { anySequence, commented, coordinate, luaNode, parameter } from './nodes.ts';

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
    parameter('Starting location', coordinate(0, 0, 0)),
    parameter('Number of points', coordinate(2, 3, 1)),
    parameter('Spacing', coordinate(50, 100, 0)),
    parameter('Subsequence', anySequence),
  ],
  steps: () => [commented('Runs another sequence at every place of a grid.', luaNode(script))],
};
