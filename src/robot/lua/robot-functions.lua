-- Runs before each script, after sandbox.lua: defines the robot's functions.
-- `call(name, ...)` calls one of them: it returns whether it succeeded, the watched pins that changed, and its results or the error.
local call, names = ...
local move = table.move

local watchers = {}

-- `level`: whose line is named in errors.
local function results_of(level, succeeded, changes, ...)
  for _, change in ipairs(changes or {}) do
    watchers[change.pin](change)
  end
  if not succeeded then
    error((...), level)
  end
  return ...
end

for _, name in ipairs(names) do
  local library, own_name = name:match('^(%l+%d*)%.(%l+)$')
  if library then
    _G[library] = _G[library] or {}
  end
  (library and _G[library] or _G)[own_name or name] = function(...)
    return results_of(2, call(name, ...))
  end
end

-- Calls the robot for a function that is called by the script.
local function robot(...)
  return results_of(3, call(...))
end

function print(...)
  local parts = table.pack(...)
  for i = 1, parts.n do
    parts[i] = tostring(parts[i])
  end
  debug(table.concat(parts, ' '))
end

local function grid_of(plan)
  local counts, start, spacing, offset = plan.counts, plan.start, plan.spacing, plan.offset
  local function at(axis, index)
    return start[axis] + spacing[axis] * index - offset[axis]
  end
  local function each(action)
    local count = 0
    for z = 0, counts.z - 1 do
      for x = 0, counts.x - 1 do
        for step = 0, counts.y - 1 do
          local y = x % 2 == 0 and step or counts.y - 1 - step
          count = count + 1
          action({ x = at('x', x), y = at('y', y), z = at('z', z), count = count })
        end
      end
    end
  end
  return counts.x * counts.y * counts.z, each
end

function grid(...)
  local plan = robot('grid', ...)
  if not plan then
    return nil
  end
  local total, each = grid_of(plan)
  return { total = total, each = each }
end

function photo_grid(...)
  local cells = robot('photo_grid', ...) or {}
  cells.total, cells.each = 0, function() end
  if cells.plan then
    cells.total, cells.each = grid_of(cells.plan)
    cells.plan = nil
  end
  return cells
end

function get_curve(...)
  local curve = robot('get_curve', ...)
  if curve then
    local data = curve.data
    curve.data = nil
    curve.day = function(day)
      return results_of(2, call('day of curve', data, day))
    end
  end
  return curve
end

-- The orders of points are those of groups. Here, because the robot could not be stopped while it sorts for a script.
local function by_distance(points)
  local here, left, sorted = { x = 0, y = 0 }, move(points, 1, #points, 1, {}), {}
  while #left > 0 do
    local nearest, shortest = 1, math.huge
    for i, point in ipairs(left) do
      local distance = (point.x - here.x) ^ 2 + (point.y - here.y) ^ 2
      if distance < shortest then
        nearest, shortest = i, distance
      end
    end
    here = table.remove(left, nearest)
    table.insert(sorted, here)
  end
  return sorted
end

local function shuffled(points)
  local sorted = move(points, 1, #points, 1, {})
  for i = #sorted, 2, -1 do
    local j = math.random(i)
    sorted[i], sorted[j] = sorted[j], sorted[i]
  end
  return sorted
end

local function reverse(list, first, last)
  while first < last do
    list[first], list[last] = list[last], list[first]
    first, last = first + 1, last - 1
  end
end

local function by_rows(points, first, second, direction)
  local places, sorted = {}, {}
  for i in ipairs(points) do
    places[i] = i
  end
  table.sort(places, function(i, j)
    local a, b = points[i], points[j]
    if a[first] ~= b[first] then
      return a[first] < b[first]
    end
    if a[second] ~= b[second] then
      return a[second] < b[second]
    end
    return i < j
  end)
  for i, place in ipairs(places) do
    sorted[i] = points[place]
  end
  if direction == 'descending' then
    reverse(sorted, 1, #sorted)
  elseif direction == 'alternating' then
    local start, turns = 1, false
    for i = 2, #sorted + 1 do
      if not sorted[i] or sorted[i][first] ~= sorted[start][first] then
        if turns then
          reverse(sorted, start, i - 1)
        end
        start, turns = i, not turns
      end
    end
  end
  return sorted
end

local directions = { ascending = true, descending = true, alternating = true }

local function sorted_by(points, method)
  if method == 'nn' then
    return by_distance(points)
  end
  if method == 'random' then
    return shuffled(points)
  end
  local first, second, direction = tostring(method):match('^([xy])([xy])_(%a+)$')
  if first == second or not directions[direction] then
    error('"sort" has no method "' .. tostring(method) .. '".', 3)
  end
  return by_rows(points, first, second, direction)
end

function sort(...)
  local points, method = ...
  if select('#', ...) ~= 2 or type(points) ~= 'table' then
    return results_of(2, call('sort', ...))
  end
  local are_ids = #points > 0
  for _, point in ipairs(points) do
    are_ids = are_ids and type(point) == 'number'
  end
  local sorted = sorted_by(are_ids and robot('sort', points, method) or points, method)
  for i, point in ipairs(are_ids and sorted or {}) do
    sorted[i] = point.id
  end
  return sorted
end

function watch_pin(pin, action)
  if type(action) ~= 'function' then
    error('"watch_pin" needs a function.', 2)
  end
  robot('watch_pin', pin, true)
  watchers[pin] = action
end
