import type { SeedProgram } from './nodes.ts';
import { commented, luaNode, pointsScript, toolScript } from './nodes.ts';

// The function that watches the motor shares no variables with the script, so it reports a stall through an env. [rule R17]
const script = `
local rotary = 2
local load_pin = 60
local max_load = tonumber(env("rotary_tool_max_load") or 90)
local max_attempts = tonumber(env("rotary_tool_max_attempts") or 3)
local job = "Mow all weeds"
${toolScript('tool', 'Rotary Tool')}
local tip = {
  x = tool.effector_offset_x or 0,
  y = tool.effector_offset_y or 0,
  z = tool.effector_offset_z or -80
}

if not verify_tool() then
  return
end

${pointsScript('weeds', 'get_weeds', 'Weed', 'active')}
for _, weed in ipairs(weeds) do
  weed.z = soil_height(weed.x, weed.y)
end

watch_pin(load_pin, function(pin)
  if pin.value > max_load and env("load") ~= "stalled" then
    env("load", "stalled")
    soft_stop()
    off(rotary)
    toast("The rotary tool is stuck", "warn")
  end
end)

local function is_stalled()
  if env("load") ~= "stalled" then
    return false
  end
  wait(1500)
  return true
end

local function mow(weed)
  local reach = weed.radius + 50
  local x = weed.x - tip.x
  local y = weed.y - tip.y
  local low = weed.z - tip.z
  local phases = {
    function() move({ x = x - reach, y = y, z = low + 20, safe_z = true }) end,
    function() on(rotary) end,
    function() move({ z = low, speed = 25 }) end,
    function() move({ x = x + reach, speed = 25 }) end,
    function() move({ z = low + 20, speed = 25 }) end
  }
  env("load", "nominal")
  for _, phase in ipairs(phases) do
    phase()
    if is_stalled() then
      return false
    end
  end
  off(rotary)
  return true
end

for count, weed in ipairs(weeds) do
  local where = "(" .. weed.x .. ", " .. weed.y .. ")"
  set_job(job, { percent = 100 * count / (#weeds + 1), status = "Weed at " .. where })
  local is_mown = false
  for _ = 1, max_attempts do
    is_mown = mow(weed)
    if is_mown then
      break
    end
  end
  if not is_mown then
    toast("The weed at " .. where .. " could not be mown", "warn")
  end
end
complete_job(job)
toast("Done with " .. #weeds .. " weeds", "success")
`;

export const mowAllWeeds: SeedProgram = {
  name: 'Mow All Weeds',
  color: 'red',
  isShared: true,
  steps: () => [commented('Mows the weeds with the rotary tool, the nearest first.', luaNode(script))],
};
